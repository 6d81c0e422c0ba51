import { type Command, Option } from 'commander';
import { cacheDirectoryOf } from '../../base/cache-directory.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { discover, formatDiscovery, formatDiscoveryJson } from '../../host/plugins/discover.ts';

const DISCOVER_HELP = `
Shows what --plugin NAME resolves to, in search order: PJRT_PLUGIN_LIBRARY_PATH, PJRT_NAMES_AND_LIBRARY_PATHS, known plugins.
Also lists the plugins of the active Python environment, which are used by path. docs/plugins.md has the rules.

Examples:
  $ pjrt-conformance discover
  $ pjrt-conformance discover --format json | jq -r '.plugins[].name'
  $ PJRT_PLUGIN_LIBRARY_PATH=build pjrt-conformance discover           # also the libraries in build/

Exit codes:
  0    The list was printed.
  2    Wrong options.
`;

/** Adds `discover`. */
export function addDiscover(program: Command, environment: CommandEnvironment): void {
  program
    .command('discover')
    .description('list the plugins that can be found, in search order, and the files that are ignored, with the reason')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('after', DISCOVER_HELP)
    .action(async (options: { format: 'text' | 'json' }) => {
      const found = await discover(environment.env, environment.cwd, { cacheDir: cacheDirectoryOf(environment.env) });
      environment.stdout.write(options.format === 'json' ? formatDiscoveryJson(found) : formatDiscovery(found));
    });
}

import { type Command, Option } from 'commander';
import { cacheDirOf } from '../../plugins/cache.ts';
import { discover, formatDiscovery, formatDiscoveryJson } from '../../plugins/discover.ts';
import type { Surroundings } from '../surroundings.ts';

const DISCOVER_HELP = `
What --plugin NAME means here: known plugins, those of PJRT_PLUGIN_LIBRARY_PATH and of installed packages, in the order in
which they are looked for. docs/plugins.md describes it.

Examples:
  $ pjrt-conformance discover
  $ pjrt-conformance discover --format json | jq -r '.plugins[].name'
  $ PJRT_PLUGIN_LIBRARY_PATH=build pjrt-conformance discover           # also the libraries in build/

Exit codes:
  0    The list was made.
  2    Wrong options.
`;

/** `discover`: its options and help. */
export function addDiscover(program: Command, around: Surroundings): void {
  program
    .command('discover')
    .description('list the plugins that are found, where, in which order, and why files are passed over')
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json']).default('text'))
    .addHelpText('after', DISCOVER_HELP)
    .action(async (options: { format: 'text' | 'json' }) => {
      const found = await discover(around.env, around.cwd, { cacheDir: cacheDirOf(around.env) });
      around.stdout.write(options.format === 'json' ? formatDiscoveryJson(found) : formatDiscovery(found));
    });
}

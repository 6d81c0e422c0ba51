import { type Command, Option } from 'commander';
import { type ConfigOptions, refuseMissing, tellConfig, withConfig, withPlaces } from '../config/option.ts';
import type { InspectOptions } from '../inspect.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Done } from './done.ts';
import { milliseconds, PLUGIN_ARGUMENT } from './options.ts';

const INSPECT_HELP = `
The file is read without being loaded; then a worker process loads the plugin and asks what needs no client. When it
cannot be loaded, what the file says is shown all the same; \`doctor\` looks for the cause.

Examples:
  $ pjrt-conformance inspect ./pjrt-plugin-foo.so
  $ pjrt-conformance inspect reference --format json | jq .loaded.apiVersion
  $ pjrt-conformance inspect ./foo.so --declare >> foo.yaml
  $ pjrt-conformance inspect ./foo.so --format json | jq '.file.elf.newestVersions'

Exit codes:
  0    It was loaded and inspected.
  2    Wrong usage, or no such file.
  3    It could not be loaded; what its file says was shown.
`;

/** `inspect`: its options and help. */
export function addInspect(program: Command, around: Surroundings, done: Done): void {
  const command = program
    .command('inspect')
    .description('what a plugin is, on one screen: file, libraries, symbols, API version, extensions, attributes')
    .argument('[plugin]', PLUGIN_ARGUMENT)
    .option('--timeout <time>', 'deadline of loading and initializing it (10s)', milliseconds)
    .option(
      '--declare',
      'create a client, try element types, operations and more, and draft `declares` for its manifest',
    )
    .option('--no-fetch', 'never download a known plugin')
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json']).default('text'));
  withConfig(command, around)
    .addHelpText('after', INSPECT_HELP)
    .action(async (plugin: string | undefined, options: InspectOptions & ConfigOptions) => {
      if (plugin === undefined) refuseMissing(command, "missing required argument 'plugin'", 'plugin');
      tellConfig(options, around);
      const { inspect } = await import('../inspect.ts');
      done(await withPlaces(options, () => inspect(plugin, options, around)));
    });
}

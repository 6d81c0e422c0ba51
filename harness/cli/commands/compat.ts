import { type Command, Option } from 'commander';
import type { CompatOptions } from '../compat.ts';
import { CONFIG_NAME } from '../config/find.ts';
import { type ConfigOptions, tellConfig, withConfig, withPlaces } from '../config/option.ts';
import type { Surroundings } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';
import type { Done } from './done.ts';
import { collect, PLUGIN_ARGUMENT, withDeadlines } from './options.ts';

const COMPAT_HELP = `
Calls every function of the plugin with sound arguments, goes through a session (client, transfer, compilation,
execution, error) as a caller of each release's API version, and compares what it sees with what is known of the releases.

Examples:
  $ pjrt-conformance compat ./pjrt-plugin-foo.so                            # a table over all releases
  $ pjrt-conformance compat ./pjrt-plugin-foo.so --framework jax@0.10.2     # will it work? every reason; exit code 0 or 1
  $ pjrt-conformance compat ./pjrt-plugin-foo.so --framework jax && deploy  # the newest JAX that is known
  $ pjrt-conformance compat ./pjrt-plugin-foo.so --format markdown > compatibility.md
  $ pjrt-conformance compat --needs jax@0.12.0                              # what must a plugin have? (no plugin needed)

Exit codes:
  0    the table was made; with --framework: the release works, perhaps with limits
  1    with --framework: the release refuses the plugin, or aborts
  2    wrong options
  3    the plugin could not be loaded; with --framework also: nothing is wrong, but it gives no client here (no device?)
  5    with --framework: it could not be found out
  130  stopped by a signal
`;

/** `compat`: its options and help. */
export function addCompat(program: Command, around: Surroundings, done: Done): void {
  const command = program
    .command('compat')
    .description('which releases of JAX, PyTorch/XLA and TensorFlow work with a plugin, and why others do not')
    .argument('[plugin]', `${PLUGIN_ARGUMENT}; not with --needs`)
    .option(
      '--needs <name@version>',
      'what a plugin must have for a release, as a list to work through, ordered by what breaks first; needs no plugin',
    )
    .option(
      '--framework <name@version>',
      'one release with every reason: jax@0.10.2, jax@0.10 (its newest patch), jax (the newest known), pytorch-xla@2.9, tensorflow@2.21',
    )
    .option('--option <name=value>', 'create option for the plugin (repeatable)', collect)
    .option('--no-fetch', 'never download a known plugin')
    .addOption(
      new Option('--compatibility <value>', 'as if ENABLE_PJRT_COMPATIBILITY were set').choices(['true', 'false']),
    )
    .addOption(new Option('--format <format>', 'output').choices(['text', 'json', 'markdown']).default('text'));
  withDeadlines(command);
  withConfig(command, around)
    .addHelpText('after', COMPAT_HELP)
    .action(
      async (
        plugin: string | undefined,
        options: Omit<CompatOptions, 'plugin'> & ConfigOptions & { needs?: string },
      ) => {
        const { compat, compatNeeds } = await import('../compat.ts');
        if (options.needs !== undefined) {
          const [given] = command.args;
          if (given !== undefined || options.framework !== undefined) {
            throw new UsageError(
              `--needs ${options.needs} is asked without a plugin; to try one: compat ${given ?? '<plugin>'} --framework ${options.needs}`,
            );
          }
          around.stdout.write(compatNeeds(options.needs, options.format));
          return;
        }
        if (plugin === undefined) {
          throw new UsageError(
            `compat needs a plugin (compat ./pjrt-plugin-foo.so, or \`plugin:\` in ${CONFIG_NAME}), or --needs and a release (--needs jax)`,
          );
        }
        tellConfig(options, around);
        done(await withPlaces(options, () => compat({ ...options, plugin: [plugin], binding: 'lazy' }, around)));
      },
    );
}

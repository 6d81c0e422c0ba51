import { type Command, Option } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { CompatOptions } from '../../commands/compat/compat.ts';
import { type ExitCode, exitCode } from '../../verdict/exit-codes.ts';
import type { Row } from '../../verdict/frameworks/format.ts';
import { chosenRelease } from '../../verdict/frameworks/spec.ts';
import { CONFIG_NAME } from '../config/find.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { withCreateOptions, withResolution } from './one-plugin.ts';
import { type Done, helpOf, PLUGIN_ARGUMENT, withDeadlines, withDevices, withHost } from './options.ts';

type Format = 'text' | 'json' | 'markdown';

/** Parsed options of `compat`. */
interface Options extends Omit<CompatOptions, 'plugin' | 'compatibility'>, ConfigOptions {
  compatibility?: 'true' | 'false';
  needs?: string;
  framework?: string;
  format: Format;
}

/** Adds `compat`. */
export function addCompat(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('compat')
    .description(
      'show which releases of JAX, PyTorch/XLA, TensorFlow, torch_tpu, gopjrt and ZML work with a plugin, and why others do not',
    )
    .argument('[plugin]', `${PLUGIN_ARGUMENT}; not with --needs`)
    .option(
      '--needs <name@version>',
      'list what a release needs from a plugin, in the order in which it would fail; needs no plugin',
    )
    .option(
      '--framework <name@version>',
      'check one release and show all reasons: jax@0.10.2, jax@0.10 (its newest patch), jax (the newest known), pytorch-xla@2.9, tensorflow@2.21',
    );
  withResolution(withCreateOptions(command))
    .addOption(
      new Option('--compatibility <value>', 'predict for this value of ENABLE_PJRT_COMPATIBILITY').choices([
        'true',
        'false',
      ]),
    )
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json', 'markdown']).default('text'));
  withDeadlines(command);
  withDevices(withHost(command));
  withConfig(command, environment)
    .addHelpText('after', helpOf('compat'))
    .action(async (plugin: string | undefined, options: Options) => {
      if (options.needs !== undefined) {
        const [given] = command.args;
        if (given !== undefined || options.framework !== undefined) {
          throw new UsageError(
            `--needs ${options.needs} takes no plugin; to check one: compat ${given ?? '<plugin>'} --framework ${options.needs}`,
          );
        }
        environment.stdout.write(await needs(options.needs, options.format));
        return;
      }
      if (plugin === undefined) {
        throw new UsageError(
          `compat needs a plugin (compat ./pjrt-plugin-foo.so, or \`plugin:\` in ${CONFIG_NAME}), or --needs and a release (--needs jax)`,
        );
      }
      printConfigUse(options, environment);
      done(await withPlaces(options, () => compat(plugin, options, environment)));
    });
}

/** `compat --needs`: what a release needs from a plugin. Loads no plugin. @throws UsageError */
async function needs(spec: string, format: Format): Promise<string> {
  const [{ formatNeeds, formatNeedsJson, formatNeedsMarkdown }, { needsOf }] = await Promise.all([
    import('../../verdict/frameworks/format-needs.ts'),
    import('../../verdict/frameworks/needs.ts'),
  ]);
  const chosen = chosenRelease('--needs', spec);
  const write = { text: formatNeeds, json: formatNeedsJson, markdown: formatNeedsMarkdown }[format];
  return write(chosen, needsOf(chosen));
}

/** Prints the verdict of every release of every framework, or of one in full. @returns the exit code */
async function compat(spec: string, options: Options, environment: CommandEnvironment): Promise<ExitCode> {
  const [{ compatibility }, { formatJson, formatMarkdown, formatOne, formatTable }, { allReleases }] =
    await Promise.all([
      import('../../commands/compat/compat.ts'),
      import('../../verdict/frameworks/format.ts'),
      import('../../verdict/frameworks/spec.ts'),
    ]);
  const { framework, format } = options;
  const chosen = framework === undefined ? allReleases() : [chosenRelease('--framework', framework)];
  const progress =
    environment.stderr.isTTY === true ? (text: string) => environment.stderr.write(`\r\u001b[K${text}`) : () => {};
  const { compatibility: asIf, ...rest } = options;
  const asked: CompatOptions = {
    ...rest,
    plugin: [spec],
    binding: 'lazy',
    ...(asIf === undefined ? {} : { compatibility: asIf === 'true' }),
  };
  const seen = await compatibility(chosen, asked, environment, progress);
  progress('');
  if ('interrupted' in seen) return exitCode('interrupted');
  if ('failure' in seen) {
    environment.stderr.write(`error: ${seen.name} could not be loaded: ${seen.failure}\n`);
    return exitCode('unusable');
  }
  const { name, minor, rows } = seen;
  if (format === 'json') environment.stdout.write(formatJson(rows));
  else if (format === 'markdown') environment.stdout.write(formatMarkdown(rows));
  else
    environment.stdout.write(
      framework === undefined ? formatTable(rows) : formatOne(rows[0]!, `${name} (API 0.${minor})`),
    );
  // A table is informational; only the verdict on a single release affects the exit code.
  return framework === undefined ? exitCode('passes') : answerOf(rows[0]!);
}

function answerOf({ prediction }: Row): ExitCode {
  switch (prediction.outcome) {
    case 'works':
    case 'limits':
      return exitCode('passes');
    case 'wrong':
    case 'refuses':
    case 'aborts':
      return exitCode('fails');
    case 'unknown':
      return exitCode(prediction.noClient ? 'unusable' : 'internal-error');
  }
}

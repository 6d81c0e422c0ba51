import { type Command, Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { Reduced, ReduceOptions } from '../../commands/reduce/reduce.ts';
import type { Progress } from '../../commands/reduce/reduction.ts';
import { type ExitCode, exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { onePlugin, withOnePlugin } from './one-plugin.ts';
import { type Done, helpOf, numerics, seed, wholeNumber, withDeadlines, withDevices } from './options.ts';

/** Parsed options of `reduce`. */
interface Options extends Omit<ReduceOptions, 'plugin' | 'oracle'>, ConfigOptions {
  oracle?: string;
  plugin?: string | string[];
  format: 'text' | 'json';
}

/** Adds `reduce`. */
export function addReduce(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('reduce')
    .description('make the smallest program that fails in the same way as one of your own or of a recording')
    .argument('<programs>', 'directory of programs, or the file of one, as for `programs`');
  withOnePlugin(command, 'the plugin on which it fails: ')
    .option(
      '--oracle <plugin>',
      'the plugin whose results are expected, and which computes values inside of the program',
    )
    .option('-o, --output <dir>', 'directory of the smallest program', 'reduced')
    .option('--seed <n>', 'changes the inputs that are generated for programs without any (0)', seed)
    .addOption(numerics())
    .option('--workers <n>', 'number of processes of each plugin (1)', wholeNumber)
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'));
  withDeadlines(command);
  withDevices(command);
  withConfig(command, environment)
    .addHelpText('after', helpOf('reduce'))
    .action(async (place: string, options: Options) => {
      const plugin = onePlugin(command, options);
      const { oracle } = options;
      if (oracle === undefined) return command.error("error: required option '--oracle <plugin>' not specified");
      printConfigUse(options, environment);
      done(await withPlaces(options, () => reducing(place, { ...options, plugin, oracle }, environment)));
    });
}

async function reducing(
  place: string,
  options: Options & { plugin: string; oracle: string },
  environment: CommandEnvironment,
): Promise<ExitCode> {
  const [{ reduce }, { formatReduced, formatProgress }] = await Promise.all([
    import('../../commands/reduce/reduce.ts'),
    import('../../commands/reduce/format.ts'),
  ]);
  const { stdout, stderr, cwd } = environment;
  const tty = stderr.isTTY === true;
  const progress = (now: Progress): void => {
    if (tty) stderr.write(`\r\u001b[K${formatProgress(now)}`);
  };
  const reduced = await reduce(place, options, environment, progress);
  if (tty) stderr.write('\r\u001b[K');
  stdout.write(options.format === 'json' ? asJson(reduced) : formatReduced(reduced, options, cwd));
  return codeOf(reduced);
}

const codeOf = ({ smallest }: Reduced): ExitCode => exitCode(smallest ? 'passes' : 'fails');

import { type Command, Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import { StatusLine } from '../../base/status-line.ts';
import type { ReduceOptions } from '../../commands/reduce/reduce.ts';
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
    .description('make the smallest program, or the shortest recording, that fails in the same way as yours')
    .argument(
      '<what>',
      'programs, as for `programs`: a directory, or the file of one; or a recording, as for `replay`',
    );
  withOnePlugin(command, 'the plugin on which it fails: ')
    .option(
      '--oracle <plugin>',
      'for programs: the plugin whose results are expected, and which computes values inside of the program',
    )
    .option('-o, --output <dir>', 'directory of what is left', 'reduced')
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
      const { isTrace } = await import('../../suite/collections/known-sessions.ts');
      if (isTrace(place, environment.cwd)) {
        const unused = ['oracle', 'seed'].find((name) => command.getOptionValueSource(name) === 'cli');
        if (unused !== undefined)
          return command.error(`error: --${unused} is for programs, and ${place} is a recording`);
        printConfigUse(options, environment);
        return done(await withPlaces(options, () => reducingTrace(place, { ...options, plugin }, environment)));
      }
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
  const { stdout, cwd } = environment;
  const line = new StatusLine(environment.stderr);
  const reduced = await reduce(place, options, environment, (now) => line.update(...formatProgress(now)));
  line.clear();
  stdout.write(options.format === 'json' ? asJson(reduced) : formatReduced(reduced, options, cwd));
  return exitCode(reduced.smallest ? 'passes' : 'fails');
}

async function reducingTrace(
  place: string,
  options: Options & { plugin: string },
  environment: CommandEnvironment,
): Promise<ExitCode> {
  const [{ reduceTrace }, { formatReducedTrace, formatTraceProgress }] = await Promise.all([
    import('../../commands/reduce/reduce-trace.ts'),
    import('../../commands/reduce/format.ts'),
  ]);
  const { stdout, cwd } = environment;
  const line = new StatusLine(environment.stderr);
  const reduced = await reduceTrace(place, options, environment, (now) => line.update(...formatTraceProgress(now)));
  line.clear();
  stdout.write(options.format === 'json' ? asJson(reduced) : formatReducedTrace(reduced, options, cwd));
  return exitCode(reduced.shortest ? 'passes' : 'fails');
}

import { type Command, Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { Campaign, FuzzOptions, State } from '../../commands/fuzz/campaign.ts';
import { type ExitCode, exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { onePlugin, withOnePlugin } from './one-plugin.ts';
import { type Done, helpOf, milliseconds, numerics, seed, wholeNumber, withDeadlines, withDevices } from './options.ts';

/** Parsed options of `fuzz`. */
interface Options extends Omit<FuzzOptions, 'plugin' | 'oracle'>, ConfigOptions {
  oracle?: string;
  plugin?: string | string[];
  format: 'text' | 'json';
}

const COUNT = 1000;

/** Adds `fuzz`. */
export function addFuzz(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('fuzz')
    .description('run random valid programs on a plugin and on another one, and compare the results');
  withOnePlugin(command, 'the plugin under test: ')
    .option('--oracle <plugin>', 'the plugin whose results are expected')
    .option('--seed <n>', 'programs follow from the seed and their number', seed, 0)
    .option('--count <n>', `number of programs (${COUNT} without --budget)`, wholeNumber)
    .option('--budget <time>', 'begin no further programs after this time', milliseconds)
    .option('--max-findings <n>', 'stop after n findings', wholeNumber)
    .option(
      '--shard <i/n>',
      'only every n-th program; auto: the shard of this task, from the variables of Slurm, Kubernetes, GitLab and other schedulers (auto/8 where they do not say how many tasks there are), in shard-i-of-n below the output directory; a requeued task resumes its campaign (docs/fleet.md)',
    )
    .addOption(numerics())
    .option('--workers <n>', 'number of processes of each plugin (1)', wholeNumber)
    .option('--output <dir>', 'directory of the state and of what is found', 'fuzz')
    .option('--resume', 'resume the campaign of the directory')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'));
  withDeadlines(command);
  withDevices(command);
  withConfig(command, environment)
    .addHelpText('after', helpOf('fuzz'))
    .action(async (options: Options) => {
      const plugin = onePlugin(command, options);
      const { oracle } = options;
      if (oracle === undefined) return command.error("error: required option '--oracle <plugin>' not specified");
      printConfigUse(options, environment);
      done(await withPlaces(options, () => campaign({ ...options, plugin, oracle }, environment)));
    });
}

async function campaign(
  options: Options & { plugin: string; oracle: string },
  environment: CommandEnvironment,
): Promise<ExitCode> {
  const [{ fuzz, judged }, { formatCampaign }] = await Promise.all([
    import('../../commands/fuzz/campaign.ts'),
    import('../../commands/fuzz/format.ts'),
  ]);
  const { count, budget } = options;
  const limit = count ?? (budget === undefined ? COUNT : undefined);
  const tty = environment.stderr.isTTY === true;
  const progress = (state: State): void => {
    const of = limit === undefined ? '' : ` of ${limit}`;
    if (tty) environment.stderr.write(`\r\u001b[K${state.next}${of} programs, ${state.findings.length} findings`);
  };
  const result = await fuzz({ ...options, ...(limit === undefined ? {} : { count: limit }) }, environment, progress);
  if (tty) environment.stderr.write('\r\u001b[K');
  environment.stdout.write(options.format === 'json' ? asJson(result.state) : formatCampaign(result, environment.cwd));
  return codeOf(result, judged(result.state));
}

function codeOf({ ending, state }: Campaign, compared: number): ExitCode {
  if (ending === 'interrupted') return exitCode('interrupted');
  if (state.findings.length > 0) return exitCode('fails');
  if (ending === 'unusable') return exitCode('unusable');
  return compared === 0 ? exitCode('internal-error') : exitCode('passes');
}

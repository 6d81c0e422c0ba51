import type { Command } from 'commander';
import { Option } from 'commander';
import { asJson } from '../../base/as-json.ts';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { Exploration, ExploreOptions } from '../../commands/explore/campaign.ts';
import type { State } from '../../commands/explore/state.ts';
import { type ExitCode, exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { onePlugin, withOnePlugin } from './one-plugin.ts';
import { type Done, helpOf, milliseconds, seed, wholeNumber, withDeadlines, withDevices } from './options.ts';

/** Parsed options of `explore`. */
interface Options extends Omit<ExploreOptions, 'plugin'>, ConfigOptions {
  plugin?: string | string[];
  format: 'text' | 'json';
}

const COUNT = 500;

/** Adds `explore`. */
export function addExplore(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('explore')
    .description('play random sessions with a plugin, against a model of what each object must be');
  withOnePlugin(command)
    .option('--seed <n>', 'sessions follow from the seed and their number', seed, 0)
    .option('--count <n>', `number of sessions (${COUNT} without --budget)`, wholeNumber)
    .option('--budget <time>', 'begin no sessions that would end after this time', milliseconds)
    .option('--max-findings <n>', 'stop after n findings', wholeNumber)
    .option('--devices <n>', 'devices on which sessions play', wholeNumber, 1)
    .option('--threads <n>', 'play so many sessions at the same time, each in a lane of its own', wholeNumber, 1)
    .option(
      '--shard <i/n>',
      'only every n-th session; auto: the shard of this task, from the variables of Slurm, Kubernetes, GitLab and other schedulers (auto/8 where they do not say how many tasks there are), in shard-i-of-n below the output directory; a requeued task resumes its exploration (docs/fleet.md)',
    )
    .option('--workers <n>', 'number of processes (1)', wholeNumber)
    .option('--output <dir>', 'directory of the state and of what is found', 'explore')
    .option('--resume', 'resume the exploration of the directory')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'));
  withDeadlines(command);
  withDevices(command);
  withConfig(command, environment)
    .addHelpText('after', helpOf('explore'))
    .action(async (options: Options) => {
      const plugin = onePlugin(command, options);
      printConfigUse(options, environment);
      done(await withPlaces(options, () => exploration({ ...options, plugin }, environment)));
    });
}

async function exploration(options: Options & { plugin: string }, environment: CommandEnvironment): Promise<ExitCode> {
  const [{ explore }, { formatExploration }] = await Promise.all([
    import('../../commands/explore/campaign.ts'),
    import('../../commands/explore/format.ts'),
  ]);
  const { count, budget } = options;
  const limit = count ?? (budget === undefined ? COUNT : undefined);
  const tty = environment.stderr.isTTY === true;
  const progress = ({ next, moves, findings }: State): void => {
    const of = limit === undefined ? '' : ` of ${limit}`;
    if (tty) environment.stderr.write(`\r\u001b[K${next}${of} sessions, ${moves} moves, ${findings.length} findings`);
  };
  const limited = { ...options, ...(limit === undefined ? {} : { count: limit }) };
  const result = await explore(limited, environment, progress);
  if (tty) environment.stderr.write('\r\u001b[K');
  environment.stdout.write(
    options.format === 'json' ? asJson(result.state) : formatExploration(result, environment.cwd),
  );
  return codeOf(result);
}

function codeOf({ ending, state: { findings, right } }: Exploration): ExitCode {
  if (ending === 'interrupted') return exitCode('interrupted');
  if (findings.some(({ known, level }) => known === undefined && level === 'must')) return exitCode('fails');
  if (ending === 'unusable') return exitCode('unusable');
  return right + findings.length === 0 ? exitCode('internal-error') : exitCode('passes');
}

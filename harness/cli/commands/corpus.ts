import type { Command } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { RunOptions } from '../../run/plan/run-options.ts';
import { run } from '../../run/run-command.ts';
import { type ConfigOptions, withPlaces } from '../config/option.ts';
import { collect, type Done, exitCodeHelp, helpOf, withIds } from './options.ts';
import { demandPlugin, withoutIdlePolicy, withPlugin, withRunOptions } from './run.ts';

const CLONE = 'a checkout of StableHLO: git clone --depth 1 https://github.com/openxla/stablehlo';

/** Adds `corpus`. */
export function addCorpus(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program.command('corpus').description('run the official tests of StableHLO on a plugin');
  command.argument('<name>', 'which corpus');
  command.registeredArguments[0]!.choices(['stablehlo']);
  command.optionsGroup('Corpus:').option('--dir <checkout>', 'a checkout of StableHLO (required)');
  withPlugin(command);
  withIds(command).option('--suite <id>', 'only this suite and those below it (repeatable)', collect);
  withRunOptions(command, environment);
  command
    .addHelpText('after', helpOf('corpus', { ending: exitCodeHelp }))
    .action(async (_: string, options: RunOptions & ConfigOptions & { dir?: string }) => {
      if (options.dir === undefined) command.error(`error: required option '--dir <checkout>' not specified\n${CLONE}`);
      demandPlugin(command, options);
      const { dir: directory, ...rest } = withoutIdlePolicy(options) as typeof options;
      const collection = { kind: 'corpus', directory: directory! } as const;
      done(await withPlaces(options, () => run({ ...rest, collection }, environment)));
    });
}

import type { Command } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { RunOptions } from '../../run/plan/run-options.ts';
import { run } from '../../run/run-command.ts';
import type { Window } from '../../suite/collections/trace-sessions.ts';
import { type ConfigOptions, withPlaces } from '../config/option.ts';
import { type Done, exitCodeHelp, helpOf, wholeNumber, withIds } from './options.ts';
import { demandPlugin, withoutIdlePolicy, withPlugin, withRunOptions } from './run.ts';

/** Adds `replay`. */
export function addReplay(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('replay')
    .description('make the calls of a recording again, on any plugin')
    .argument(
      '<trace>',
      'a recording, or a release of which the package has some: jax@0.6.2, jax@0.10.2, jax@0.12.0.1',
    );
  command
    .option('--from <order>', 'of each session only the calls from this one on, with those that they need', wholeNumber)
    .option('--to <order>', 'of each session only the calls up to this one', wholeNumber);
  withPlugin(command);
  withIds(command);
  withRunOptions(command, environment);
  command
    .addHelpText('after', helpOf('replay', { ending: exitCodeHelp }))
    .action(async (directory: string, { from, to, ...options }: RunOptions & ConfigOptions & Window) => {
      demandPlugin(command, options);
      const window = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      const collection = { kind: 'trace', directory, ...window } as const;
      done(await withPlaces(options, () => run({ ...withoutIdlePolicy(options), collection }, environment)));
    });
}

import type { Command } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { RunOptions } from '../../run/plan/run-options.ts';
import { run } from '../../run/run-command.ts';
import { type ConfigOptions, withPlaces } from '../config/option.ts';
import { type Done, exitCodeHelp, helpOf, withIds } from './options.ts';
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
  withPlugin(command);
  withIds(command);
  withRunOptions(command, environment);
  command
    .addHelpText('after', helpOf('replay', { ending: exitCodeHelp }))
    .action(async (directory: string, options: RunOptions & ConfigOptions) => {
      demandPlugin(command, options);
      const collection = { kind: 'trace', directory } as const;
      done(await withPlaces(options, () => run({ ...withoutIdlePolicy(options), collection }, environment)));
    });
}

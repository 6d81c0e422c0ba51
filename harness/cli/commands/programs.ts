import { type Command, InvalidArgumentError } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { RunOptions } from '../../run/plan/run-options.ts';
import { run } from '../../run/run-command.ts';
import { type ConfigOptions, withPlaces } from '../config/option.ts';
import { type Done, exitCodeHelp, withIds } from './options.ts';
import { demandPlugin, withoutIdlePolicy, withPlugin, withRunOptions } from './run.ts';

const PROGRAMS_HELP = `
Runs every program of a directory, and of those below it, on a plugin, and compares its results. The files of a program NAME:

  NAME.mlirbc or NAME.mlir   a portable artifact, as frameworks send it, or StableHLO text
  NAME.inputs.npz            its parameters: arrays arg0, arg1, …; or a file for each: NAME.arg0.npy. Without any, they are
                             generated: small integers, different for each --seed
  NAME.outputs.npz           its expected results: arrays out0, out1, …; or NAME.out0.npy. Without any, those of --oracle
  NAME.yaml                  optional: how results are compared (docs/own-programs.md)

docs/own-programs.md has a snippet that writes such files from a function of JAX or PyTorch. All files are checked before the
plugin is loaded. Results of floating-point types are compared by the accuracy profile (--numerics), others bit by bit.

Examples:
  $ pjrt-conformance programs ./models --plugin ./foo.so
  $ pjrt-conformance programs ./models --plugin ./foo.so --oracle xla-cpu      # expected: what XLA's CPU plugin computes
  $ pjrt-conformance programs ./models --plugin ./foo.so --tests 'programs:attention*'
`;

/** Adds `programs`. */
export function addPrograms(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('programs <dir>')
    .description('run programs of your own on a plugin, with expected results or those of another plugin');
  command
    .optionsGroup('Data:')
    .option(
      '--oracle <plugin>',
      'another plugin, named as for --plugin, which computes the expected results of programs without any, in processes of its own',
    )
    .option('--seed <n>', 'changes the inputs that are generated for programs without any (0)', seedNumber);
  withPlugin(command);
  withIds(command);
  withRunOptions(command, environment);
  command
    .addHelpText('after', PROGRAMS_HELP + exitCodeHelp())
    .action(async (directory: string, options: RunOptions & ConfigOptions & { oracle?: string; seed?: number }) => {
      demandPlugin(command, options);
      const { oracle, seed, ...rest } = withoutIdlePolicy(options) as typeof options;
      const collection = { kind: 'programs', directory, oracle, seed } as const;
      done(await withPlaces(options, () => run({ ...rest, collection }, environment)));
    });
}

const seedNumber = (value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(value);
};

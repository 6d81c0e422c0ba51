import { type Command, InvalidArgumentError } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { RunOptions } from '../../run/plan/run-options.ts';
import { run } from '../../run/run-command.ts';
import type { ProgramsCollection } from '../../suite/collections/collection.ts';
import { type ConfigOptions, withPlaces } from '../config/option.ts';
import { type Done, exitCodeHelp, helpOf, withIds } from './options.ts';
import { demandPlugin, withoutIdlePolicy, withPlugin, withRunOptions } from './run.ts';

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
    .option('--seed <n>', 'changes the inputs that are generated for programs without any (0)', seedNumber)
    .option(
      '--convert',
      'convert arrays of other element types than the program has, such as the f64 and s64 of NumPy, where no value is lost beyond rounding',
    );
  withPlugin(command);
  withIds(command);
  withRunOptions(command, environment);
  command
    .addHelpText('after', helpOf('programs', { ending: exitCodeHelp }))
    .action(
      async (
        directory: string,
        options: RunOptions & ConfigOptions & Pick<ProgramsCollection, 'oracle' | 'seed' | 'convert'>,
      ) => {
        demandPlugin(command, options);
        const { oracle, seed, convert, ...rest } = withoutIdlePolicy(options) as typeof options;
        const collection = { kind: 'programs', directory, oracle, seed, convert } as const;
        done(await withPlaces(options, () => run({ ...rest, collection }, environment)));
      },
    );
}

const seedNumber = (value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(value);
};

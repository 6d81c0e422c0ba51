import { type Command, Option } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { chosenShard } from '../../run/fleet/chosen-shard.ts';
import { shardText } from '../../run/fleet/shard.ts';
import { type SelectionOptions, selectedCases } from '../../run/suites/selection.ts';
import { LIST_FORMATS, type ListFormat, listCases } from '../../suite/list-cases.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { helpOf, withSelection } from './options.ts';

/** Adds `list`. */
export function addList(program: Command, environment: CommandEnvironment): void {
  const command = withSelection(
    program.command('list').description('list the selected cases; needs no plugin'),
  ).addOption(new Option('--format <format>', 'output format').choices(LIST_FORMATS).default('text'));
  withConfig(command, environment)
    .addHelpText('after', helpOf('list'))
    .action(async (options: SelectionOptions & ConfigOptions & { format: ListFormat }) => {
      await printCases(options, options.format, environment);
    });
}

/** Prints the cases that options select. @throws UsageError, SuiteError */
export async function printCases(
  options: SelectionOptions & ConfigOptions,
  format: ListFormat,
  environment: CommandEnvironment,
): Promise<void> {
  printConfigUse(options, environment);
  const { cases } = await withPlaces(options, () =>
    selectedCases(withShard(options, environment.env), environment.cwd),
  );
  environment.stdout.write(listCases(cases, format));
}

const withShard = (options: SelectionOptions, variables: CommandEnvironment['env']): SelectionOptions =>
  options.shard === undefined ? options : { ...options, shard: shardText(chosenShard(options.shard, variables)) };

import { type Command, Option } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { chosenShard } from '../../run/fleet/chosen-shard.ts';
import { shardText } from '../../run/fleet/shard.ts';
import { type SelectionOptions, selectedCases } from '../../run/suites/selection.ts';
import { LIST_FORMATS, type ListFormat, listCases } from '../../suite/list-cases.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { withSelection } from './options.ts';

const LIST_HELP = `
Shows the cases that a run with the same options would run. Use it to see what is tested, to try out a selection, or to
write a list for --tests-from.

Examples:
  $ pjrt-conformance list --suite buffers
  $ pjrt-conformance list --requirement BUF-HOST-009                   # the cases that cover it
  $ pjrt-conformance list --mustpass 1.0 --profile smoke              # a frozen list
  $ pjrt-conformance list --tests 'load/*' --format ids > cases.txt    # then: --tests-from cases.txt

Exit codes:
  0    At least one case is selected.
  2    Wrong options, an invalid suite, or a selection without any case.
`;

/** Adds `list`. */
export function addList(program: Command, environment: CommandEnvironment): void {
  const command = withSelection(
    program.command('list').description('list the selected cases; needs no plugin'),
  ).addOption(new Option('--format <format>', 'output format').choices(LIST_FORMATS).default('text'));
  withConfig(command, environment)
    .addHelpText('after', LIST_HELP)
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

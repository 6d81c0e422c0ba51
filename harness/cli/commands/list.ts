import { type Command, Option } from 'commander';
import { listCases } from '../../suite/list-cases.ts';
import { type ConfigOptions, tellConfig, withConfig, withPlaces } from '../config/option.ts';
import { type SelectionOptions, selectedCases } from '../selection.ts';
import type { Surroundings } from '../surroundings.ts';
import { withSelection } from './options.ts';

const LIST_HELP = `
What a run with the same options would run, without a plugin: to see what is tested, to try a selection, or to make a list
for --tests-from.

Examples:
  $ pjrt-conformance list --suite buffers
  $ pjrt-conformance list --requirement BUF-HOST-009                   # which cases cover it?
  $ pjrt-conformance list --tests 'load/*' --format ids > cases.txt    # … then: --tests-from cases.txt

Exit codes:
  0    At least one case is selected.
  2    Wrong options, a broken suite, or a selection without any case.
`;

/** `list`: its options and help. */
export function addList(program: Command, around: Surroundings): void {
  const command = withSelection(
    program.command('list').description('list the cases that a selection means; needs no plugin'),
  ).addOption(new Option('--format <format>', 'output').choices(['text', 'ids', 'json']).default('text'));
  withConfig(command, around)
    .addHelpText('after', LIST_HELP)
    .action(async (options: SelectionOptions & ConfigOptions & { format: 'text' | 'ids' | 'json' }) => {
      tellConfig(options, around);
      const { cases } = await withPlaces(options, () => selectedCases(options));
      around.stdout.write(listCases(cases, options.format));
    });
}

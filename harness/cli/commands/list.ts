import { type Command, Option } from 'commander';
import { listCases } from '../../suite/list-cases.ts';
import { type ConfigOptions, tellConfig, withConfig, withPlaces } from '../config/option.ts';
import { type SelectionOptions, selectedCases } from '../selection.ts';
import type { Surroundings } from '../surroundings.ts';
import { withSelection } from './options.ts';

/** `list`: its options and help. */
export function addList(program: Command, around: Surroundings): void {
  const command = withSelection(
    program.command('list').description('list the cases that a selection means; needs no plugin'),
  ).addOption(new Option('--format <format>', 'output').choices(['text', 'ids', 'json']).default('text'));
  withConfig(command, around).action(
    async (options: SelectionOptions & ConfigOptions & { format: 'text' | 'ids' | 'json' }) => {
      tellConfig(options, around);
      const { cases } = await withPlaces(options, () => selectedCases(options));
      around.stdout.write(listCases(cases, options.format));
    },
  );
}

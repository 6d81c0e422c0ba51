import { type Command, Option } from 'commander';
import { listCases } from '../../suite/list-cases.ts';
import { type SelectionOptions, selectedCases } from '../selection.ts';
import type { Surroundings } from '../surroundings.ts';
import { withSelection } from './options.ts';

/** `list`: its options and help. */
export function addList(program: Command, around: Surroundings): void {
  withSelection(program.command('list').description('list the cases that a selection means; needs no plugin'))
    .addOption(new Option('--format <format>', 'output').choices(['text', 'ids', 'json']).default('text'))
    .action(async (options: SelectionOptions & { format: 'text' | 'ids' | 'json' }) => {
      around.stdout.write(listCases((await selectedCases(options)).cases, options.format));
    });
}

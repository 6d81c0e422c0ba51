import type { Command } from 'commander';
import { exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, tellConfig, withConfig } from '../config/option.ts';
import { suitePaths } from '../load-suites.ts';
import { readable } from '../readable.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Done } from './done.ts';

/** `validate`: its options and help. */
export function addValidate(program: Command, around: Surroundings, done: Done): void {
  const command = program
    .command('validate')
    .description('check suite files: schema, references, ids, names; all problems with file:line:column')
    .argument(
      '[paths...]',
      'files or folders (default: `suites` of the configuration, else the suites of the package)',
    );
  withConfig(command, around).action(async (paths: string[], options: ConfigOptions) => {
    tellConfig(options, around);
    const { formatValidation, validateSuites } = await import('../../suite/validate.ts');
    const { vocabulary } = await import('../vocabulary.ts');
    const result = validateSuites(paths.length > 0 ? paths : suitePaths(), vocabulary());
    around.stdout.write(readable(formatValidation(result)));
    done(result.problems.length > 0 ? exitCode('usage') : 0);
  });
}

import type { Command } from 'commander';
import { exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, tellConfig, withConfig } from '../config/option.ts';
import { suitePaths } from '../load-suites.ts';
import { readable } from '../readable.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Done } from './done.ts';

const VALIDATE_HELP = `
Says of suites that you write what a run would say of them, for editors and CI: every problem at once, each with its place,
what was expected and what may be meant. Nothing is run. docs/writing-suites.md describes the language.

Examples:
  $ pjrt-conformance validate                                # your suites, or those of the package
  $ pjrt-conformance validate suites/mine/lookups.yaml
  $ pjrt-conformance validate suites/mine other/suites

Exit codes:
  0    Every suite is sound.
  2    A problem, or no suite.
`;

/** `validate`: its options and help. */
export function addValidate(program: Command, around: Surroundings, done: Done): void {
  const command = program
    .command('validate')
    .description('check suite files: schema, references, ids, names; all problems with file:line:column')
    .argument(
      '[paths...]',
      'files or folders (default: `suites` of the configuration, else the suites of the package)',
    );
  withConfig(command, around)
    .addHelpText('after', VALIDATE_HELP)
    .action(async (paths: string[], options: ConfigOptions) => {
      tellConfig(options, around);
      const { formatValidation, validateSuites } = await import('../../suite/validate.ts');
      const { vocabulary } = await import('../vocabulary.ts');
      const result = validateSuites(paths.length > 0 ? paths : suitePaths(), vocabulary());
      around.stdout.write(readable(formatValidation(result)));
      done(result.problems.length > 0 ? exitCode('usage') : 0);
    });
}

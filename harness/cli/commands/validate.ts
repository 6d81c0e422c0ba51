import type { Command } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { checkFiles } from '../../run/suites/check-files.ts';
import { exitCode } from '../../verdict/exit-codes.ts';
import { type ConfigOptions, printConfigUse, withConfig } from '../config/option.ts';
import { readable } from '../readable.ts';
import { type Done, helpOf } from './options.ts';

/** Adds `validate`. */
export function addValidate(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('validate')
    .description(
      'check suites, manifests, expectations, configuration and other files; reports all problems with file:line:column',
    )
    .argument(
      '[paths...]',
      'files, or directories of suites (default: `suites` of the configuration, otherwise the suites of the package)',
    );
  withConfig(command, environment)
    .addHelpText('after', helpOf('validate'))
    .action(async (paths: string[], options: ConfigOptions) => {
      printConfigUse(options, environment);
      const { formatValidation } = await import('../../suite/validate.ts');
      const result = await checkFiles(paths, environment.cwd);
      environment.stdout.write(readable(formatValidation(result)));
      done(result.problems.length > 0 ? exitCode('usage') : 0);
    });
}

import { type Command, Option } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { coverageOf } from '../../run/suites/check-suites.ts';
import { coverageJson, coverageMarkdown, formatCoverage } from '../../suite/coverage.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { collect, helpOf } from './options.ts';

/** Adds `coverage`. */
export function addCoverage(program: Command, environment: CommandEnvironment): void {
  const command = program
    .command('coverage')
    .description('show which requirements have cases and which have none')
    .option('--suites <path>', 'also read suites from this file or directory (repeatable)', collect)
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json', 'markdown']).default('text'));
  withConfig(command, environment)
    .addHelpText('after', helpOf('coverage'))
    .action(async (options: ConfigOptions & { suites?: string[]; format: 'text' | 'json' | 'markdown' }) => {
      printConfigUse(options, environment);
      const matrix = await withPlaces(options, () => coverageOf(options.suites, environment.cwd));
      const format = { text: formatCoverage, json: coverageJson, markdown: coverageMarkdown }[options.format];
      environment.stdout.write(format(matrix));
    });
}

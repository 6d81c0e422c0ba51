import { type Command, Option } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import { coverageOf, opCoverageOf } from '../../run/suites/check-suites.ts';
import { coverageJson, coverageMarkdown, formatCoverage } from '../../suite/coverage.ts';
import { formatOpCoverage, opCoverageJson } from '../../suite/op-coverage.ts';
import { type ConfigOptions, printConfigUse, withConfig, withPlaces } from '../config/option.ts';
import { collect, helpOf } from './options.ts';

type CoverageOptions = ConfigOptions & { suites?: string[]; ops?: boolean; format: 'text' | 'json' | 'markdown' };

/** Adds `coverage`. */
export function addCoverage(program: Command, environment: CommandEnvironment): void {
  const command = program
    .command('coverage')
    .description('show which requirements have cases and which have none')
    .option('--suites <path>', 'also read suites from this file or directory (repeatable)', collect)
    .option('--ops', 'show which values of the attributes of operations, and which pairs of them, cases run')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json', 'markdown']).default('text'));
  withConfig(command, environment)
    .addHelpText('after', helpOf('coverage'))
    .action(async (options: CoverageOptions) => {
      printConfigUse(options, environment);
      if (options.ops) {
        if (options.format === 'markdown')
          throw new UsageError('--ops has the formats text and json', { options: ['format'] });
        const ops = await withPlaces(options, () => opCoverageOf(options.suites, environment.cwd));
        environment.stdout.write(options.format === 'json' ? opCoverageJson(ops) : formatOpCoverage(ops));
        return;
      }
      const matrix = await withPlaces(options, () => coverageOf(options.suites, environment.cwd));
      const format = { text: formatCoverage, json: coverageJson, markdown: coverageMarkdown }[options.format];
      environment.stdout.write(format(matrix));
    });
}

import type { Command } from 'commander';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { ReportOptions } from '../../run/finish/report.ts';
import { type ConfigOptions, printConfigUse, refuseMissing, withConfig, withPlaces } from '../config/option.ts';
import { collect, type Done, exitCodeHelp, helpOf, withConsole, withExpectations, withReports } from './options.ts';

/** Adds `report`. */
export function addReport(program: Command, environment: CommandEnvironment, done: Done): void {
  const command = program
    .command('report')
    .description('regenerate the reports of a log, or make one report from the logs of a sharded run')
    .argument(
      '[logs...]',
      'event logs (events.jsonl), or directories of runs; several are merged (default: from the configuration)',
    );
  command
    .optionsGroup('Verdict:')
    .option('--strict', 'judge as if the run had --strict')
    .option('--accept-known', 'judge as if the run had --accept-known')
    .option('--allow-flaky', 'judge as if the run had --allow-flaky');
  withExpectations(command).option(
    '--suites <path>',
    'your own suites that the run used, so that entries about their cases are not stale (repeatable)',
    collect,
  );
  withReports(command)
    .option('--output <dir>', 'directory of the reports (default: beside the log; reports/merged for several logs)')
    .option('--events <file>', 'path of the merged log')
    .option(
      '--allow-missing',
      'merge what there is if shards or results are missing; the verdict is then at best 5 (internal-error)',
    );
  withConsole(command);
  withConfig(command, environment)
    .addHelpText('after', helpOf('report', { ending: exitCodeHelp }))
    .action(async (logs: string[], options: ReportOptions & ConfigOptions) => {
      if (logs.length === 0) refuseMissing(command, "missing required argument 'logs'", 'output');
      printConfigUse(options, environment);
      const { report } = await import('../../run/finish/report.ts');
      const { exitCode } = await withPlaces(options, () => report(logs, options, environment));
      done(exitCode);
    });
}

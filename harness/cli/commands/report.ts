import type { Command } from 'commander';
import { refuseMissing, tellConfig, withConfig, withPlaces } from '../config/option.ts';
import type { ReportOptions } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Done } from './done.ts';
import { collect, exitCodeHelp, withConsole, withExpectations, withReports } from './options.ts';

const REPORT_HELP = `
The log of a run is the source of all its reports. Nothing is run; several logs are those of a sharded run, and merged.

Examples:
  $ pjrt-conformance report reports/foo --report html                           # one more format
  $ pjrt-conformance report part*/events.jsonl --output reports/foo             # one report of all shards
  $ pjrt-conformance report reports/foo --expectations foo.yaml --output judged # as if the run had had them

The exit code is that of the run which the logs describe.
`;

/** `report`: its options and help. */
export function addReport(program: Command, around: Surroundings, done: Done): void {
  const command = program
    .command('report')
    .description('write the reports of a log again, or one report of the logs of a sharded run')
    .argument(
      '[logs...]',
      'event logs (events.jsonl), or folders of runs; several are merged (default: where the configuration has it)',
    );
  command
    .optionsGroup('Verdict:')
    .option('--strict', 'as if the run had been strict')
    .option('--accept-known', 'as if known deviations had been accepted')
    .option('--allow-flaky', 'as if flaky cases had been allowed');
  withExpectations(command).option(
    '--suites <path>',
    'suites of your own that the run had: entries about their cases are not stale (repeatable)',
    collect,
  );
  withReports(command)
    .option('--output <folder>', 'where the reports go (default: beside the log; reports/merged for several)')
    .option('--events <file>', 'path of the merged log');
  withConsole(command);
  withConfig(command, around)
    .addHelpText('after', REPORT_HELP + exitCodeHelp())
    .action(async (logs: string[], options: ReportOptions) => {
      if (logs.length === 0) refuseMissing(command, "missing required argument 'logs'", 'output');
      tellConfig(options, around);
      const { report } = await import('../report.ts');
      done(await withPlaces(options, () => report(logs, options, around)));
    });
}

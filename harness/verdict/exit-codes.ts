/** The exit codes of the command, as data: the verdict, `--help` and docs/reports.md show this one table. */
export const EXIT_CODES = [
  { code: 0, name: 'conformant', meaning: 'Every MUST that was tested holds, and something was tested.' },
  {
    code: 1,
    name: 'not-conformant',
    meaning:
      'A MUST is broken and not expected to be: failure, crash, timeout or flaky (with --strict also a SHOULD; with --strict-expectations an expectation is out of date; with --gate a regression).',
  },
  {
    code: 2,
    name: 'usage',
    meaning:
      'Wrong options, a file that cannot be read or written, a broken suite or manifest file, or a selection without any case.',
  },
  {
    code: 3,
    name: 'unusable',
    meaning: 'The plugin could not be loaded or gave no client (no device?); cases that need it did not run.',
  },
  { code: 4, name: 'version-refused', meaning: 'The API version of the plugin is outside what this version can test.' },
  {
    code: 5,
    name: 'harness-fault',
    meaning: 'The harness or a suite is at fault, or the run proved nothing; not a statement about the plugin.',
  },
  { code: 130, name: 'interrupted', meaning: 'The run was stopped by a signal before its end.' },
] as const;

export type ExitCode = (typeof EXIT_CODES)[number]['code'];
export type ExitName = (typeof EXIT_CODES)[number]['name'];

/** The number of a named exit code. */
export function exitCode(name: ExitName): ExitCode {
  return EXIT_CODES.find((entry) => entry.name === name)!.code;
}

/** The name of a number, for reports made from a log; undefined for numbers outside the table. */
export const exitName = (code: number): ExitName | undefined => EXIT_CODES.find((entry) => entry.code === code)?.name;

/**
 * The exit code of a run with `--gate`. A regression is a fact about the plugin as a broken MUST is, and stands where that
 * stands in the order: after an interruption and a refused version, before everything else.
 */
export const gatedExitCode = (run: ExitCode, regressed: boolean): ExitCode =>
  regressed && run !== exitCode('interrupted') && run !== exitCode('version-refused')
    ? exitCode('not-conformant')
    : run;

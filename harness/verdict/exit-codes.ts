/** The exit codes of the command, as data: the verdict, `--help` and docs/reports.md use this table. */
export const EXIT_CODES = [
  { code: 0, name: 'passes', meaning: 'Every MUST that was tested holds, and something was tested.' },
  {
    code: 1,
    name: 'fails',
    meaning: 'An unexpected violation of a MUST: failure, crash, timeout or flaky',
    more: [
      ['strict', 'with --strict also of a SHOULD'],
      ['strictExpectations', 'with --strict-expectations a stale expectation'],
      ['gate', 'with --gate a regression'],
      ['mustpass', 'with --mustpass whatever does not pass the list'],
      ['framework', 'with the profile of a framework release, also if that release does not work'],
    ],
  },
  {
    code: 2,
    name: 'usage',
    meaning:
      'Wrong options, a file that cannot be read or written, an invalid suite or manifest file, or a selection without any case.',
  },
  {
    code: 3,
    name: 'unusable',
    meaning:
      'The plugin could not be fetched, built or loaded, or created no client (no device?); cases that need one did not run.',
  },
  {
    code: 4,
    name: 'version-refused',
    meaning: 'This version of pjrt-conformance cannot test the API version of the plugin.',
  },
  {
    code: 5,
    name: 'internal-error',
    meaning:
      'An internal error of the harness or of a suite, or the run proved nothing; says nothing about the plugin.',
  },
  { code: 130, name: 'interrupted', meaning: 'A signal stopped the run.' },
] as const;

/** What a code means: of a run only what applies to it, otherwise all. */
export function exitMeaning(code: number, applies: (circumstance: string) => boolean = () => true): string {
  const entry = EXIT_CODES.find((one) => one.code === code);
  if (!entry) return '';
  if (!('more' in entry)) return entry.meaning;
  const more = entry.more.flatMap(([circumstance, words]) => (applies(circumstance) ? [words] : []));
  return `${entry.meaning}${more.length > 0 ? ` (${more.join('; ')})` : ''}.`;
}

export type ExitCode = (typeof EXIT_CODES)[number]['code'];
export type ExitName = (typeof EXIT_CODES)[number]['name'];

/** The number of a named exit code. */
export function exitCode(name: ExitName): ExitCode {
  return EXIT_CODES.find((entry) => entry.name === name)!.code;
}

/** The name of a number, for reports made from a log; undefined for numbers outside the table. */
export const exitName = (code: number): ExitName | undefined => EXIT_CODES.find((entry) => entry.code === code)?.name;

/** What counts if several runs are one task: whoever stopped it, then what proves nothing about a plugin's cases, then these. */
const BY_WEIGHT: readonly ExitName[] = [
  'interrupted',
  'internal-error',
  'version-refused',
  'unusable',
  'usage',
  'fails',
  'passes',
];

/** The exit code of several runs. */
export const worstOf = (codes: readonly ExitCode[]): ExitCode =>
  BY_WEIGHT.map(exitCode).find((code) => codes.includes(code)) ?? exitCode('passes');

/**
 * The exit code of a run with `--gate`. A regression is a fact about the plugin, like a violated MUST, and has the same
 * precedence: after an interruption and an unsupported API version, before everything else.
 */
export const gatedExitCode = (run: ExitCode, regressed: boolean): ExitCode =>
  regressed && run !== exitCode('interrupted') && run !== exitCode('version-refused') ? exitCode('fails') : run;

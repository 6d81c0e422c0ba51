/** The rules that are verified, in this order: `verify --help` and docs/provenance.md show this table. */
export const RULES = {
  'archive-names': 'Names of entries are relative, plain and unique; there are no directories, links or devices.',
  'archive-size': 'Entries have the sizes that the archive states, within limits on their number and size.',
  'archive-data': 'Every entry can be decompressed, and its checksum holds.',
  'manifest-schema': 'manifest.json is valid against schemas/bundle.schema.json.',
  'manifest-files':
    'The manifest lists every file of the bundle and nothing else; there is one log, one JUnit and one JSON report.',
  'file-hash': 'Every file has the size and the SHA-256 that the manifest states.',
  'manifest-run': 'The manifest agrees with the log about tool, host, environment, plugins and outcome.',
  'log-lines': 'The log is UTF-8, one JSON object per line; every line is terminated, and none is blank.',
  'log-schema': 'Every event is valid against schemas/events.schema.json.',
  'log-order': 'The header is the first event, the plan comes before results, and nothing follows the footer.',
  'log-seal': 'Every seal has the hash of all bytes before it; the footer has a seal.',
  'log-clock': 'Time does not go backwards, and no event is later than the end.',
  plan: 'Every case is planned once, in the suite that its id names.',
  results:
    'Every planned case has exactly one result or is counted as not run; a result comes after the start of its case.',
  counts: 'The counts of the footer are those of the results.',
  status: 'The status of a result agrees with its findings, attempts, numbers and reason.',
  expectation:
    'The effect of an expectation agrees with the status and the expiry date, and its file is one of those that were read.',
  'exit-code': 'The exit code is the one that docs/reports.md gives for these results.',
  'report-json': 'The JSON report is valid against its schema and agrees with the log.',
  'report-junit':
    'The JUnit report has the cases of the log, its totals add up, and it contains a failure for everything that fails the run.',
  'suite-hash': 'Every suite of the log is in the bundle, unchanged.',
  'expectations-hash': 'Every expectations file of the log is in the bundle, unchanged.',
  'plugin-hash': 'A plugin in the bundle is the one that the log names.',
} as const;

export type Rule = keyof typeof RULES;

/** A violated rule. */
export interface Violation {
  rule: Rule;
  /** The file, line or id concerned. */
  where: string;
  what: string;
}

/** Collects violations. */
export type AddViolation = (rule: Rule, where: string, what: string) => void;

/** Collects the violations of one rule in one place. */
export type Say = (what: string) => void;

/** The bundle cannot be read at all: exit code 2. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';
}

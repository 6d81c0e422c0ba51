/** What is verified, in the order in which it is looked at: `verify --help` and docs/provenance.md show this one table. */
export const RULES = {
  'archive-names': 'Names of entries are relative, plain and unique; there are no folders, links or devices.',
  'archive-size': 'Entries have the sizes that the archive says, and are not more or larger than is sensible.',
  'archive-data': 'Every entry can be decompressed, and its checksum holds.',
  'manifest-schema': 'manifest.json keeps to schemas/bundle.schema.json.',
  'manifest-files':
    'The manifest lists every file of the bundle and nothing else; there is one log, one JUnit and one JSON report.',
  'file-hash': 'Every file has the size and the SHA-256 that the manifest says.',
  'manifest-run': 'What the manifest says of tool, host, environment, plugins and outcome is what the log says.',
  'log-lines': 'The log is UTF-8, one JSON object a line, each line with its end, and no blank lines.',
  'log-schema': 'Every event keeps to schemas/events.schema.json.',
  'log-order':
    'The header is the first event, the plan stands before what happened, and nothing stands after the footer.',
  'log-seal': 'Every seal holds the hash of all bytes before it; the footer has one.',
  'log-clock': 'Time does not go back, and nothing happened after the end.',
  plan: 'Every case is planned once, in the suite that its id names.',
  results:
    'Every planned case has exactly one result or is counted as not run; a result comes after the start of its case.',
  counts: 'The counts of the footer are those of the results.',
  status: 'The status of a result fits its findings, attempts, numbers and reason.',
  expectation:
    'What an expectation makes of a result fits the status and its own last day, and its file is one of those that were read.',
  'exit-code': 'The exit code is the one that docs/reports.md gives for these results.',
  'report-json': 'The JSON report keeps to its schema and says the same as the log.',
  'report-junit': 'The JUnit report has the cases of the log, its totals add up, and it is red for what fails the run.',
  'suite-hash': 'Every suite of the log is in the bundle, byte for byte.',
  'expectations-hash': 'Every expectations file of the log is in the bundle, byte for byte.',
  'plugin-hash': 'A plugin that is in the bundle is the one that the log names.',
} as const;

export type Rule = keyof typeof RULES;

/** Something that does not hold. */
export interface Violation {
  rule: Rule;
  /** File, line or id that it is about. */
  where: string;
  what: string;
}

/** Collects violations. */
export type Tell = (rule: Rule, where: string, what: string) => void;

/** The bundle cannot be read at all: exit code 2. */
export class UnreadableError extends Error {
  override name = 'UnreadableError';
}

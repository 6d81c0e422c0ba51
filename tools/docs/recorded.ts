import { readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { formatMarkdown, type Row } from '../../harness/verdict/frameworks/format.ts';
import { parseRelease } from '../../harness/verdict/frameworks/spec.ts';

/** Output of `compat xla-cpu --format json`, stored so that the documentation can be generated without the plugin. */
interface RecordedRow extends Pick<Row['prediction'], 'outcome' | 'moment' | 'reason' | 'limits'> {
  framework: string;
  version: string;
  window: Row['window']['standing'];
}

export interface RecordedTable {
  plugin: string;
  rows: RecordedRow[];
}

/** Path of the record. */
export const RECORD_FILE = packagePath('docs', 'data', 'compat-xla-cpu.json');

export const recordedRows = (): RecordedRow[] => (JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as RecordedTable).rows;

/** The stored part of the output of `compat PLUGIN --format json`. */
export const rowsOf = (json: string): RecordedRow[] =>
  (JSON.parse(json) as (Row['prediction'] & Pick<RecordedRow, 'framework' | 'version'> & Pick<Row, 'window'>)[]).map(
    ({ framework, version, outcome, moment, reason, limits, window }) => ({
      framework,
      version,
      outcome,
      ...(moment === undefined ? {} : { moment }),
      reason,
      limits,
      window: window.standing,
    }),
  );

/** The recorded table as Markdown. */
export const recordedTable = (): string =>
  formatMarkdown(
    recordedRows().map(({ framework, version, window, ...prediction }): Row => {
      const chosen = parseRelease(`${framework}@${version}`);
      const { promise } = chosen.framework;
      return {
        ...chosen,
        prediction: { ...prediction, limitFacts: [], facts: [], untried: [] },
        // cpu is on every list.
        platform: { withheld: [] },
        window: { standing: window, text: '', ...(promise ? { weeks: promise.weeks } : {}) },
      };
    }),
  );

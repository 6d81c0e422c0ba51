import { readFileSync } from 'node:fs';
import { formatMarkdown, type Row } from '../../harness/frameworks/format.ts';
import { parseRelease } from '../../harness/frameworks/spec.ts';
import { packagePath } from '../../harness/paths.ts';

/** What `compat xla-cpu --format json` said, kept so that the documentation can be made without the plugin. */
export interface RecordedRow extends Pick<Row['prediction'], 'outcome' | 'moment' | 'reason' | 'limits'> {
  framework: string;
  version: string;
  window: Row['window']['standing'];
}

export const recordedRows = (): RecordedRow[] =>
  (JSON.parse(readFileSync(packagePath('docs', 'data', 'compat-xla-cpu.json'), 'utf8')) as { rows: RecordedRow[] })
    .rows;

/** The recorded table as Markdown. */
export const recordedTable = (): string =>
  formatMarkdown(
    recordedRows().map(({ framework, version, window, ...prediction }): Row => {
      const chosen = parseRelease(`${framework}@${version}`);
      const { promise } = chosen.framework;
      return {
        ...chosen,
        prediction: { ...prediction, facts: [], untried: [] },
        window: { standing: window, text: '', ...(promise ? { weeks: promise.weeks } : {}) },
      };
    }),
  );

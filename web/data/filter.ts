import type { Status } from '../../harness/model/status.ts';
import type { Row } from './report.ts';

/** Which cases are shown; empty fields match everything. */
export interface Filter {
  /** Words that must all occur in id, title, message, requirements, tags or calls. */
  q: string;
  status: readonly Status[];
  /** A suite, or a directory of suites if it ends with a slash. */
  suite: string;
  level: string;
  requirement: string;
  tag: string;
  call: string;
  /** Number of a root cause. */
  cause: string;
  /** Only what fails the run. */
  fails: boolean;
}

export const NO_FILTER: Filter = {
  q: '',
  status: [],
  suite: '',
  level: '',
  requirement: '',
  tag: '',
  call: '',
  cause: '',
  fails: false,
};

export const isFiltering = (filter: Filter): boolean =>
  filter.status.length > 0 || Object.entries(filter).some(([key, value]) => key !== 'status' && Boolean(value));

/** Selects cases, and caches the text that each is searched in. */
export class Search {
  readonly #rows: readonly Row[];
  #texts: string[] | undefined;

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  select(filter: Filter): Row[] {
    const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
    const status = new Set(filter.status);
    const texts = words.length === 0 ? [] : this.#searchable();
    return this.#rows.filter(
      (row) =>
        (status.size === 0 || status.has(row.status)) &&
        passesRest(row, filter) &&
        words.every((word) => texts[row.index]!.includes(word)),
    );
  }

  /** Number of cases of each status, ignoring the filter on statuses. */
  statusCounts(filter: Filter): Map<Status, number> {
    const counts = new Map<Status, number>();
    for (const { status } of this.select({ ...filter, status: [] })) counts.set(status, (counts.get(status) ?? 0) + 1);
    return counts;
  }

  #searchable(): string[] {
    this.#texts ??= this.#rows.map(({ id, title, message, covers, breaks, tags, about }) =>
      [id, title, message, ...covers, ...breaks, ...tags, ...about].join('\n').toLowerCase(),
    );
    return this.#texts;
  }
}

function passesRest(row: Row, { suite, level, requirement, tag, call, cause, fails }: Filter): boolean {
  if (suite !== '' && row.suite.suite !== suite && !(suite.endsWith('/') && row.suite.suite.startsWith(suite))) {
    return false;
  }
  return (
    (level === '' || row.level === level) &&
    (requirement === '' || row.covers.includes(requirement) || row.breaks.includes(requirement)) &&
    (tag === '' || row.tags.includes(tag)) &&
    (call === '' || row.about.includes(call)) &&
    (cause === '' || String(row.cause) === cause) &&
    (!fails || row.fails)
  );
}

import type { Row } from './report.ts';

export const GROUPINGS = ['cause', 'requirement', 'call', 'message', 'suite'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Cases with something in common. */
export interface Group {
  /** Empty: they name nothing, for example an internal error names no requirement. */
  key: string;
  rows: Row[];
}

/**
 * Cases by what they have in common, the most severe root cause or the largest group first; a case can be in several groups.
 */
export function groupsOf(rows: readonly Row[], by: Grouping): Group[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    for (const key of keysOf(row, by)) {
      const group = groups.get(key);
      if (group) group.push(row);
      else groups.set(key, [row]);
    }
  }
  return [...groups]
    .map(([key, members]) => ({ key, rows: members }))
    .sort((a, b) => (by === 'cause' ? placeOf(a) - placeOf(b) : b.rows.length - a.rows.length));
}

/** Root causes are numbered by severity; cases without one come last. */
const placeOf = ({ key }: Group): number => (key === '' ? Number.POSITIVE_INFINITY : Number(key));

function keysOf(row: Row, by: Grouping): readonly string[] {
  switch (by) {
    case 'cause':
      return [row.cause === 0 ? '' : String(row.cause)];
    case 'requirement':
      return orNone(row.breaks);
    case 'call':
      return orNone(row.about);
    case 'suite':
      return [row.suite.suite];
    case 'message':
      // Cases of one matrix have the same message with other numbers.
      return [row.message.replace(/\b0x[0-9a-f]+\b|\d+/gi, '#')];
  }
}

const orNone = (keys: readonly string[]): readonly string[] => (keys.length > 0 ? keys : ['']);

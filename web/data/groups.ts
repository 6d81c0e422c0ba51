import type { Row } from './report.ts';

export const GROUPINGS = ['requirement', 'call', 'message', 'suite'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Cases that have something in common. */
export interface Group {
  /** Empty: they have it in common that they name none, as a fault of the harness names no requirement. */
  key: string;
  rows: Row[];
}

/** Cases by what they have in common, the largest group first; a case can be in several groups. */
export function groupsOf(rows: readonly Row[], by: Grouping): Group[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    for (const key of keysOf(row, by)) {
      const group = groups.get(key);
      if (group) group.push(row);
      else groups.set(key, [row]);
    }
  }
  return [...groups].map(([key, members]) => ({ key, rows: members })).sort((a, b) => b.rows.length - a.rows.length);
}

function keysOf(row: Row, by: Grouping): readonly string[] {
  switch (by) {
    case 'requirement':
      return orNone(row.breaks);
    case 'call':
      return orNone(row.about);
    case 'suite':
      return [row.suite.suite];
    case 'message':
      // Cases of one matrix say the same with other numbers.
      return [row.message.replace(/\b0x[0-9a-f]+\b|\d+/gi, '#')];
  }
}

const orNone = (keys: readonly string[]): readonly string[] => (keys.length > 0 ? keys : ['']);

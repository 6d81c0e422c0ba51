import { useMemo } from 'preact/hooks';
import type { Status } from '../../harness/model/status.ts';
import type { Row } from '../data/report.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { count, number } from '../ui/format.ts';
import { LevelChip } from '../ui/level.tsx';
import { Link } from '../ui/link.tsx';
import { CountBar, present, STATUS } from '../ui/status.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';

const HEIGHT = 54;

/** A requirement, and the results of the cases that cover it. */
interface Entry {
  id: string;
  violated: number;
  counts: Partial<Record<Status, number>>;
  cases: number;
}

/** Every requirement that the run covers, violated ones first. */
export function Requirements() {
  const { report, route: here } = useApp();
  const entries = useMemo(() => entriesOf(report.rows), [report]);
  const violated = entries.filter((entry) => entry.violated > 0).length;
  return (
    <div class="page full">
      <h1>
        Requirements{' '}
        <small>
          {number(entries.length)} covered by the cases of this run, {violated === 0 ? 'none' : number(violated)} shown
          violated
        </small>
      </h1>
      <VirtualList
        items={entries}
        heightOf={() => HEIGHT}
        keyOf={({ id }) => id}
        label="Requirements"
        shown={entries.findIndex(({ id }) => id === here.id)}
        render={({ id, counts, violated: times, cases }) => (
          <div
            class={id === here.id ? 'requirement here' : 'requirement'}
            {...(id === here.id ? { 'aria-current': 'true' as const } : {})}
          >
            <Link to={route('cases', { filter: { requirement: id } })}>{id}</Link>
            <span class="requirement-text">
              {report.head.levels[id] && <LevelChip level={report.head.levels[id]} violated={times > 0} />}{' '}
              {times > 0 && <span class="tag strong">violated</span>} {report.head.requirements[id] ?? ''}
            </span>
            <span class="requirement-counts">
              <CountBar counts={counts} />
              <span class="dim">
                {count(cases, 'case')}:{' '}
                {present(counts)
                  .map((status) => `${counts[status]} ${STATUS[status].word}`)
                  .join(', ')}
              </span>
            </span>
          </div>
        )}
      />
    </div>
  );
}

function entriesOf(rows: readonly Row[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const row of rows) {
    for (const id of new Set([...row.covers, ...row.breaks])) {
      const entry = entries.get(id) ?? { id, violated: 0, counts: {}, cases: 0 };
      entries.set(id, entry);
      entry.cases++;
      entry.counts[row.status] = (entry.counts[row.status] ?? 0) + 1;
      if (row.breaks.includes(id)) entry.violated++;
    }
  }
  return [...entries.values()].sort((a, b) => b.violated - a.violated || (a.id < b.id ? -1 : 1));
}

import { useMemo } from 'preact/hooks';
import type { Status } from '../../harness/model/status.ts';
import type { Row } from '../data/report.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { count, number } from '../ui/format.ts';
import { LevelChip } from '../ui/level.tsx';
import { Link } from '../ui/link.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { CountBar, present, STATUS } from '../ui/status.tsx';
import { useMedia } from '../ui/use-media.ts';
import { VirtualList } from '../ui/virtual-list.tsx';

/** Height of an entry, on a wide page and on a narrow one, where the text is below the id. */
const HEIGHT = { wide: 54, narrow: 128 };
const NARROW = matchMedia('(max-width: 760px)');

/** A requirement, and the results of the cases that cover it. */
interface Entry {
  id: string;
  violated: number;
  counts: Partial<Record<Status, number>>;
  cases: number;
}

/** Every requirement that the run covers, violated ones first. */
export function Requirements() {
  const { report, route: here, go } = useApp();
  const all = useMemo(() => entriesOf(report.rows), [report]);
  const { q } = here.filter;
  const entries = useMemo(() => found(all, q, report.head.requirements), [all, q]);
  const isNarrow = useMedia(NARROW);
  const violated = all.filter((entry) => entry.violated > 0).length;
  return (
    <div class="page full">
      <h1>
        Requirements{' '}
        <small>
          {number(all.length)} covered by the cases of this run, {violated === 0 ? 'none' : number(violated)} shown
          violated
        </small>
      </h1>
      <SearchBox
        value={q}
        label="Search requirements"
        placeholder="Search id and text   ( / )"
        onChange={(text) => go({ ...here, filter: { ...here.filter, q: text } }, 'replace')}
      />
      {entries.length === 0 && <p class="empty">No requirement matches.</p>}
      <VirtualList
        items={entries}
        heightOf={() => (isNarrow ? HEIGHT.narrow : HEIGHT.wide)}
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

/** Those in whose id or text all words occur. */
function found(entries: readonly Entry[], query: string, texts: Readonly<Record<string, string>>): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ id }) => {
    const text = `${id} ${texts[id] ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

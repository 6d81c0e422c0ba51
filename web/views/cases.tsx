import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isFiltering } from '../data/filter.ts';
import type { Row, Suite } from '../data/report.ts';
import { formatRoute, type Route } from '../state/route.ts';
import { announce } from '../ui/announce.tsx';
import { useApp } from '../ui/app.ts';
import { count, number, time } from '../ui/format.ts';
import { useKeys } from '../ui/keys.ts';
import { Link } from '../ui/link.tsx';
import { STATUS, STATUS_ORDER, StatusIcon } from '../ui/status.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { CasePage } from './case-page.tsx';
import { FilterBar } from './filter-bar.tsx';

/** A row of the list: a suite, or a case with its index among the cases shown. */
type Entry = { suite: Suite; cases: number } | { row: Row; place: number };

const HEIGHT = { suite: 32, case: 48 };
const heightOf = (entry: Entry): number => ('row' in entry ? HEIGHT.case : HEIGHT.suite);
const keyOf = (entry: Entry): string => ('row' in entry ? `case ${entry.row.id}` : `suite ${entry.suite.suite}`);

/** All cases, searched, filtered and sorted; the open one is beside the list. */
export function Cases() {
  const { report, search, route, go } = useApp();
  const key = formatRoute({ ...route, id: undefined });
  const rows = useMemo(() => sorted(search.select(route.filter), route.how.sort), [key]);
  const entries = useMemo(() => withSuites(rows, route.how.sort), [rows]);
  const open = route.id === undefined ? undefined : report.byId.get(route.id);
  const [active, setActive] = useState<string>();
  const places = useMemo(() => placesOf(entries), [entries]);
  const current = route.id ?? active;
  const place = current === undefined ? undefined : places.get(current);
  const list = useRef<HTMLElement>(null);

  const announced = useRef(rows.length);
  useEffect(() => {
    if (announced.current === rows.length) return;
    announced.current = rows.length;
    announce(`${count(rows.length, 'case')} shown.`);
  }, [rows]);

  const openAt = (row: Row): Route => ({ ...route, id: row.id });
  const move = (step: 1 | -1): void => {
    if (rows.length === 0) return;
    const at = current === undefined ? -1 : rows.findIndex(({ id }) => id === current);
    const next =
      rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))]!;
    setActive(next.id);
    if (route.id !== undefined) go(openAt(next), 'replace');
    focusSoon(list.current, next.id);
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: () => route.id !== undefined && go({ ...route, id: undefined }),
  });

  return (
    <div class={route.id === undefined ? 'cases' : 'cases open'}>
      <section class="list" aria-labelledby="cases-title" ref={list}>
        <div class="list-head">
          <h1 id="cases-title">
            Cases{' '}
            <small>
              {rows.length === report.rows.length
                ? number(rows.length)
                : `${number(rows.length)} of ${number(report.rows.length)}`}
            </small>
          </h1>
          <FilterBar />
        </div>
        {rows.length === 0 ? (
          <p class="empty">{isFiltering(route.filter) ? 'No case matches the filters.' : 'The run has no cases.'}</p>
        ) : (
          <VirtualList
            items={entries}
            heightOf={heightOf}
            keyOf={keyOf}
            label="Cases"
            shown={place}
            render={(entry) =>
              'row' in entry ? (
                <CaseLink
                  row={entry.row}
                  to={openAt(entry.row)}
                  long={route.how.sort !== undefined}
                  current={entry.row.id === route.id}
                  tabbable={entry.row.id === (current !== undefined && places.has(current) ? current : rows[0]!.id)}
                />
              ) : (
                <SuiteLine suite={entry.suite} cases={entry.cases} />
              )
            }
          />
        )}
      </section>
      {route.id !== undefined && <CasePage row={open} id={route.id} onMove={move} />}
    </div>
  );
}

function CaseLink({
  row,
  to,
  long,
  current,
  tabbable,
}: {
  row: Row;
  to: Route;
  long: boolean;
  current: boolean;
  tabbable: boolean;
}) {
  return (
    <Link
      to={to}
      class="case"
      data-case={row.id}
      tabIndex={tabbable ? 0 : -1}
      {...(current ? { 'aria-current': 'true' as const } : {})}
    >
      <StatusIcon status={row.status} />
      <span class="unseen">{STATUS[row.status].word}: </span>
      <span class="case-text">
        <span class="case-name">{long ? row.id : row.name}</span>
        <span class={row.message === '' ? 'case-title' : `case-title m-${row.status}`}>{row.message || row.title}</span>
      </span>
      <span class="case-facts">
        <span>{row.level === 'must' ? 'MUST' : row.level.toUpperCase()}</span>
        <span>{row.durationMs > 0 ? time(row.durationMs) : ''}</span>
      </span>
    </Link>
  );
}

const SuiteLine = ({ suite, cases }: { suite: Suite; cases: number }) => (
  <div class="suite-line">
    <b>{suite.suite}</b> <span class="dim">{suite.title}</span> <span class="dim">{number(cases)}</span>
  </div>
);

function sorted(rows: Row[], sort: string | undefined): Row[] {
  if (sort === 'slowest') return rows.sort((a, b) => b.durationMs - a.durationMs || a.index - b.index);
  if (sort === 'status') {
    return rows.sort((a, b) => STATUS_ORDER.indexOf(a.status) - STATUS_ORDER.indexOf(b.status) || a.index - b.index);
  }
  return rows;
}

/** Cases in planned order are grouped by suite. */
function withSuites(rows: readonly Row[], sort: string | undefined): Entry[] {
  if (sort !== undefined) return rows.map((row, place) => ({ row, place }));
  const entries: Entry[] = [];
  let heading: { suite: Suite; cases: number } | undefined;
  rows.forEach((row, place) => {
    if (heading?.suite !== row.suite) {
      heading = { suite: row.suite, cases: 0 };
      entries.push(heading);
    }
    heading.cases++;
    entries.push({ row, place });
  });
  return entries;
}

const placesOf = (entries: readonly Entry[]): Map<string, number> =>
  new Map(entries.flatMap((entry, at) => ('row' in entry ? [[entry.row.id, at] as const] : [])));

/** The entry may have to be rendered first. */
function focusSoon(list: HTMLElement | null, id: string): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() =>
      list?.querySelector<HTMLElement>(`[data-case="${CSS.escape(id)}"]`)?.focus({ preventScroll: true }),
    ),
  );
}

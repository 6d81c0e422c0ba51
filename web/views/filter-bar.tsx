import { useMemo } from 'preact/hooks';
import { type Filter, isFiltering, NO_FILTER } from '../data/filter.ts';
import type { Row } from '../data/report.ts';
import { formatRoute } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { Chips } from '../ui/chips.tsx';
import { number } from '../ui/format.ts';
import { SearchBox } from '../ui/search-box.tsx';
import { STATUS, STATUS_ORDER, StatusIcon } from '../ui/status.tsx';

/** Search and filters of cases, all of which are part of the URL. */
export function FilterBar() {
  const { report, search, route, go } = useApp();
  const { filter } = route;
  const set = (more: Partial<Filter>): void => go({ ...route, filter: { ...filter, ...more } }, 'replace');
  const key = formatRoute({ ...route, id: undefined, filter: { ...filter, status: [] } });
  const counts = useMemo(() => search.statusCounts(filter), [key]);
  const choices = useMemo(() => choicesOf(report.rows), [report]);
  const failing = useMemo(() => report.rows.filter(({ fails }) => fails).length, [report]);
  return (
    <search class="filters">
      <SearchBox
        value={filter.q}
        label="Search cases"
        placeholder="Search id, title, message, requirement, tag, call   ( / )"
        onChange={(q) => set({ q })}
      />
      <Chips label="Status">
        {failing > 0 && (
          <button type="button" class="chip" aria-pressed={filter.fails} onClick={() => set({ fails: !filter.fails })}>
            fails the run <b>{number(failing)}</b>
          </button>
        )}
        {STATUS_ORDER.filter((status) => report.head.summary[status] > 0).map((status) => {
          const on = filter.status.includes(status);
          return (
            <button
              key={status}
              type="button"
              class={counts.get(status) === undefined ? `chip s-${status} none` : `chip s-${status}`}
              aria-pressed={on}
              title={STATUS[status].meaning}
              onClick={() =>
                set({ status: on ? filter.status.filter((s) => s !== status) : [...filter.status, status] })
              }
            >
              <StatusIcon status={status} />
              {STATUS[status].word} <b>{number(counts.get(status) ?? 0)}</b>
            </button>
          );
        })}
      </Chips>
      <div class="choices">
        <Choice label="Suite" value={filter.suite} options={choices.suites} onChange={(suite) => set({ suite })} />
        <Choice label="Level" value={filter.level} options={choices.levels} onChange={(level) => set({ level })} />
        <Choice
          label="Requirement"
          value={filter.requirement}
          options={choices.requirements}
          onChange={(requirement) => set({ requirement })}
        />
        <Choice label="Tag" value={filter.tag} options={choices.tags} onChange={(tag) => set({ tag })} />
        <Choice label="Call" value={filter.call} options={choices.calls} onChange={(call) => set({ call })} />
        <Choice
          label="Cause"
          value={filter.cause}
          options={report.causes.map((cause) => String(cause.number))}
          titleOf={(option) => `${option}: ${report.causes[Number(option) - 1]?.text ?? ''}`}
          onChange={(cause) => set({ cause })}
        />
        <Choice
          label="Order"
          value={route.how.sort ?? ''}
          all="as planned"
          options={['status', 'slowest']}
          onChange={(sort) => go({ ...route, how: sort === '' ? {} : { sort } }, 'replace')}
        />
        {isFiltering(filter) && (
          <button type="button" class="quiet" onClick={() => go({ ...route, filter: NO_FILTER }, 'replace')}>
            Clear filters
          </button>
        )}
      </div>
    </search>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly string[];
  /** Label of no choice. */
  all?: string;
  /** Label of an option if it is not the option itself. */
  titleOf?: (option: string) => string;
  onChange: (value: string) => void;
}

function Choice({ label, value, options, all = 'all', titleOf = directoryTitle, onChange }: ChoiceProps) {
  if (options.length < 2 && value === '') return null;
  const known = value === '' || options.includes(value) ? options : [value, ...options];
  return (
    <label class={value === '' ? 'choice' : 'choice on'}>
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{all}</option>
        {known.map((option) => (
          <option key={option} value={option}>
            {titleOf(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

const directoryTitle = (option: string): string => (option.endsWith('/') ? `${option}…` : option);

/** Choices in this run. */
function choicesOf(rows: readonly Row[]) {
  const distinct = (values: (row: Row) => readonly string[]): string[] => {
    const found = new Set<string>();
    for (const row of rows) for (const value of values(row)) found.add(value);
    return [...found].sort();
  };
  const suites = distinct(({ suite }) => [suite.suite]);
  const directories = [...new Set(suites.flatMap((suite) => (suite.includes('/') ? [`${suite.split('/')[0]}/`] : [])))];
  return {
    suites: [...directories, ...suites].sort(),
    levels: distinct(({ level }) => [level]),
    requirements: distinct(({ covers, breaks }) => [...covers, ...breaks]),
    tags: distinct(({ tags }) => tags),
    calls: distinct(({ about }) => about),
  };
}

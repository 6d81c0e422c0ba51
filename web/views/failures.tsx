import { useMemo } from 'preact/hooks';
import type { Status } from '../../harness/model/status.ts';
import type { Filter } from '../data/filter.ts';
import { GROUPINGS, type Group, type Grouping, groupsOf } from '../data/groups.ts';
import type { Cause, Row } from '../data/report.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { CaseLinks } from '../ui/cases.tsx';
import { Chips } from '../ui/chips.tsx';
import { count, number } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { CountBar } from '../ui/status.tsx';
import { useLoaded } from '../ui/use-loaded.ts';

/** Number of groups shown, and of cases named in each; the rest is counted and linked. */
const GROUPS = 100;
const NAMED = 6;

const TITLES: Readonly<Record<Grouping, string>> = {
  cause: 'Root cause',
  requirement: 'Requirement',
  call: 'Native call',
  message: 'Message',
  suite: 'Suite',
};

/** Headings of cases that name none. */
const NONE: Readonly<Record<Grouping, string>> = {
  cause: 'No root cause in the plugin',
  requirement: 'No requirement',
  call: 'No native call',
  message: 'no message',
  suite: '',
};

/** Failures, grouped by what they have in common. */
export function Failures() {
  const { report, route: here, go } = useApp();
  const by = GROUPINGS.find((grouping) => grouping === here.how.group) ?? 'cause';
  const rows = useMemo(() => report.rows.filter(({ fails, breaks }) => fails || breaks.length > 0), [report]);
  const groups = useMemo(() => groupsOf(rows, by), [rows, by]);
  const failing = rows.filter(({ fails }) => fails).length;
  return (
    <div class="page">
      <h1>
        Failures{' '}
        <small>
          {failing === 0 ? 'nothing fails the run' : `${count(failing, 'case')} fail the run`}
          {rows.length > failing && `, ${number(rows.length - failing)} more violate a requirement without failing it`}
        </small>
      </h1>
      {rows.length > 0 && (
        <Chips label="Group by" shown>
          {GROUPINGS.map((grouping) => (
            <button
              key={grouping}
              type="button"
              class="chip"
              aria-pressed={grouping === by}
              onClick={() => go({ ...here, how: { group: grouping } }, 'replace')}
            >
              {TITLES[grouping]}
            </button>
          ))}
        </Chips>
      )}
      {rows.length > 0 && by === 'cause' && (
        <p class="dim">In the order in which to look at them: violated MUSTs first, then what explains most cases.</p>
      )}
      {rows.length === 0 && <p class="empty">No case of this run shows a violated requirement.</p>}
      {groups.slice(0, GROUPS).map((group) => (
        <GroupCard key={group.key} group={group} by={by} />
      ))}
      {groups.length > GROUPS && (
        <p>
          <Link to={route('cases', { filter: { fails: true } })}>
            and {number(groups.length - GROUPS)} more groups: all cases that fail the run
          </Link>
        </p>
      )}
    </div>
  );
}

function GroupCard({ group, by }: { group: Group; by: Grouping }) {
  const { report } = useApp();
  const { key, rows } = group;
  const counts: Partial<Record<Status, number>> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  // Missing values cannot be filtered by, and messages differ in their numbers.
  const filter: Partial<Filter> | undefined =
    key === '' || by === 'message'
      ? undefined
      : { [by]: key, ...(by === 'cause' ? { status: Object.keys(counts) as Status[] } : {}) };
  const cause = by === 'cause' ? report.causes[Number(key) - 1] : undefined;
  const name = by === 'cause' ? (cause?.text ?? '') : by === 'message' ? rows[0]!.message : key;
  const isCode = name !== '' && by !== 'message' && by !== 'cause';
  return (
    <section class="card group">
      <h2>
        <span class={isCode ? 'mono' : ''}>{name || NONE[by]}</span> <small>{count(rows.length, 'case')}</small>
      </h2>
      {by === 'requirement' && <p class="lead">{report.head.requirements[key] ?? ''}</p>}
      {cause && <PluginSays cause={cause} name={name} row={rows[0]!} />}
      {cause && cause.rows.length > rows.length && <Blocked cause={cause} />}
      <CountBar counts={counts} />
      <CaseLinks
        rows={rows.slice(0, NAMED)}
        filter={filter ?? {}}
        tags={(row) => (
          <>
            {row.known && <span class="tag">known deviation</span>}
            {!row.fails && <span class="tag">does not fail the run</span>}
          </>
        )}
      />
      {rows.length > NAMED && (
        <p>
          {filter ? (
            <Link to={route('cases', { filter })}>All {count(rows.length, 'case')}</Link>
          ) : (
            <span class="dim">and {number(rows.length - NAMED)} more of the same kind</span>
          )}
        </p>
      )}
    </section>
  );
}

/**
 * What the plugin itself says, where the heading does not have it: its error message, or, of a process that ended, the last
 * line that it wrote to stderr.
 */
function PluginSays({ cause, name, row }: { cause: Cause; name: string; row: Row }) {
  const { report } = useApp();
  const detail = useLoaded(() => report.detail(row), row.id);
  const said = cause.said ?? detail?.findings?.find((finding) => finding.said !== undefined)?.said;
  const ended = cause.kind === 'death' || cause.kind === 'hang';
  const words = said ?? (ended ? detail?.lastWords : undefined);
  if (words === undefined || words === '' || name.includes(words)) return null;
  return (
    <p class="says">
      <b>The plugin {said === undefined ? 'wrote' : 'says'}:</b> <span class="mono">{words}</span>
    </p>
  );
}

/** Cases that could not be tried because of a cause. */
function Blocked({ cause }: { cause: Cause }) {
  const blocked = cause.rows.filter(({ status }) => status === 'unsupported').length;
  const filter: Partial<Filter> = { cause: String(cause.number), status: ['unsupported'] };
  return (
    <p>
      <Link to={route('cases', { filter })}>{count(blocked, 'further case')} could not be tried because of it</Link>
    </p>
  );
}

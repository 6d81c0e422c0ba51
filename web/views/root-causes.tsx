import type { Status } from '../../harness/model/status.ts';
import type { Cause } from '../data/report.ts';
import { route } from '../state/route.ts';
import { useApp } from '../ui/app.ts';
import { CaseLinks } from '../ui/cases.tsx';
import { count, number } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { STATUS, StatusIcon } from '../ui/status.tsx';

/** Number of causes shown at first, and of cases named in each; the rest can be expanded. */
const SHOWN = 10;
const NAMED = 6;

/** Root causes of everything that failed or could not be tried; each expands to its cases. */
export function RootCauses() {
  const { report } = useApp();
  const { causes } = report;
  if (causes.length === 0) return null;
  return (
    <section class="card" aria-labelledby="root-causes">
      <h2 id="root-causes">{report.head.causesLine}</h2>
      <List causes={causes.slice(0, SHOWN)} />
      {causes.length > SHOWN && (
        <details>
          <summary>and {number(causes.length - SHOWN)} more</summary>
          <List causes={causes.slice(SHOWN)} />
        </details>
      )}
    </section>
  );
}

const List = ({ causes }: { causes: readonly Cause[] }) => (
  <ul class="causes">
    {causes.map((cause) => (
      <li key={cause.number}>
        <details>
          <summary>
            <StatusIcon status={statusOf(cause)} />
            <span>
              <span class="unseen">{STATUS[statusOf(cause)].word}: </span>
              <span class="cause-text">{cause.text}</span> <span class="dim">{cause.effect}</span>
            </span>
          </summary>
          <CaseLinks rows={cause.rows.slice(0, NAMED)} filter={{ cause: String(cause.number) }} />
          {cause.rows.length > NAMED && (
            <p>
              <Link to={route('cases', { filter: { cause: String(cause.number) } })}>
                All {count(cause.rows.length, 'case')}
              </Link>
            </p>
          )}
        </details>
      </li>
    ))}
  </ul>
);

/** Status with which its cases are shown: the worst of them. */
function statusOf({ kind, level }: Cause): Status {
  if (kind === 'death') return 'crash';
  if (kind === 'hang') return 'timeout';
  if (level === undefined) return 'unsupported';
  return level === 'must' ? 'fail' : 'warn';
}

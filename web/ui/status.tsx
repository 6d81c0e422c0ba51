import type { Status } from '../../harness/model/status.ts';
import { route } from '../state/route.ts';
import { number } from './format.ts';
import { Link } from './link.tsx';

/** Words and shapes of statuses, because colour alone must not distinguish them. Most severe first. */
export const STATUS: Readonly<Record<Status, { word: string; meaning: string; path: string }>> = {
  crash: {
    word: 'crashed',
    meaning: 'the worker process died in the case',
    path: 'M9 1 3 9h4l-1 6 7-9H9z',
  },
  timeout: {
    word: 'timed out',
    meaning: 'a deadline passed; the worker was killed',
    path: 'M4 1h8v1.5L9.2 8l2.8 5.5V15H4v-1.5L6.8 8 4 2.5z',
  },
  fail: {
    word: 'failed',
    meaning: 'a MUST is violated',
    path: 'm3.4 2 4.6 4.6L12.6 2 14 3.4 9.4 8l4.6 4.6-1.4 1.4L8 9.4 3.4 14 2 12.6 6.6 8 2 3.4z',
  },
  flaky: {
    word: 'flaky',
    meaning: 'some attempts passed and some violated a requirement',
    path: 'M1 9.500c2.300-6 4.700-6 7 0 1.600 4.200 3.300 4.200 5 0l2 .7c-2.600 6.600-6.300 6.600-9 0-1.300-3.300-2-3.300-3.100 0z',
  },
  error: {
    word: 'internal error',
    meaning: 'an internal error of the harness or of a suite, not of the plugin',
    path: 'M5 1h6l4 4v6l-4 4H5l-4-4V5zm2 3v5h2V4zm0 6v2h2v-2z',
  },
  warn: {
    word: 'warned',
    meaning: 'the MUSTs hold, a SHOULD is violated',
    path: 'M8 1 15.5 15H.5zM7 6v5h2V6zm0 6v2h2v-2z',
  },
  pass: {
    word: 'passed',
    meaning: 'all checks of the case hold',
    path: 'M13.2 2.8 15 4.6 6.4 13.2 1 7.8 2.8 6l3.6 3.6z',
  },
  unsupported: {
    word: 'unsupported',
    meaning: 'the plugin does not offer what the case needs',
    path: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zm0 2a5 5 0 0 0-3 9l7-7a5 5 0 0 0-4-2zm4.6 3-6.8 6.8A5 5 0 0 0 12.600 6z',
  },
  skip: {
    word: 'skipped',
    meaning: 'not applicable here, or excluded',
    path: 'M1 3l6 5-6 5zm6 0 6 5-6 5zm6 0h2v10h-2z',
  },
  notrun: {
    word: 'not run',
    meaning: 'the run ended before the case',
    path: 'M2 7h3v2H2zm4.500 0h3v2h-3zM11 7h3v2h-3z',
  },
};

export const STATUS_ORDER = Object.keys(STATUS) as Status[];

export const StatusIcon = ({ status }: { status: Status }) => (
  <svg class={`icon s-${status}`} viewBox="0 0 16 16" aria-hidden="true">
    <path fill-rule="evenodd" d={STATUS[status].path} />
  </svg>
);

export const StatusBadge = ({ status }: { status: Status }) => (
  <span class={`badge s-${status}`} title={STATUS[status].meaning}>
    <StatusIcon status={status} />
    {STATUS[status].word}
  </span>
);

type Counts = Readonly<Partial<Record<Status, number>>>;

export const present = (counts: Counts): Status[] => STATUS_ORDER.filter((status) => (counts[status] ?? 0) > 0);

/** Counts as one bar; decorative for screen readers, because the words are beside it. */
export function CountBar({ counts }: { counts: Counts }) {
  return (
    <span class="bar" aria-hidden="true">
      {present(counts).map((status) => (
        <span
          key={status}
          class={`s-${status}`}
          style={{ flexGrow: counts[status] }}
          title={`${counts[status]} ${STATUS[status].word}`}
        />
      ))}
    </span>
  );
}

/** Statuses of which some cases may fail the run and others not. */
const VIOLATIONS: readonly Status[] = ['fail', 'crash', 'timeout', 'flaky'];

/** Counts as links to the cases, and how many of these fail the run where others do not. */
export const CountLinks = ({ counts, failing }: { counts: Counts; failing: Counts }) => (
  <ul class="counts">
    {present(counts).map((status) => (
      <li key={status}>
        <Link to={route('cases', { filter: { status: [status] } })} class={`badge s-${status}`}>
          <StatusIcon status={status} />
          <b>{number(counts[status]!)}</b> {STATUS[status].word}
          {VIOLATIONS.includes(status) && failing[status] !== counts[status] && ` (${failing[status]} fail the run)`}
        </Link>
      </li>
    ))}
  </ul>
);

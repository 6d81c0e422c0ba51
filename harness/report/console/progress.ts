import { cleanLine } from '../../base/sanitize.ts';
import { shortened, textWidth } from '../../base/text-table.ts';
import type { Run } from '../../model/run.ts';
import type { Counts } from '../../model/status.ts';
import { VIOLATING_STATUSES } from '../../model/status.ts';
import type { Paint } from './paint.ts';
import { duration, WORDS } from './words.ts';

/** Shows how far a run is, until it is stopped. */
export interface Progress {
  /** Something has happened. */
  draw(): void;
  /** Makes room for other output. */
  erase(): void;
  stop(): void;
}

interface ProgressOptions {
  run: Run;
  /** Cases that fail the run so far, by status. */
  failing: Counts;
  write: (text: string) => unknown;
  paint: Paint;
  /** Milliseconds from any fixed point. */
  now: () => number;
  /** Estimated remaining time in milliseconds. */
  remaining: (elapsedMs: number) => number | undefined;
}

type State = Pick<ProgressOptions, 'run' | 'failing'>;

const REDRAW_MS = 100;
/** Minimum time between estimates. */
const ESTIMATE_MS = 1000;
const ERASE_LINE = '\r\x1b[2K';

/**
 * A line that is rewritten in place: by events, and by a timer so that the clock moves while a case hangs; both at most ten
 * times a second.
 */
export function progressLine(columns: number, { write, paint, now, remaining, ...state }: ProgressOptions): Progress {
  const { run } = state;
  const start = now();
  const estimate = throttled(remaining);
  let drawnAt = Number.NEGATIVE_INFINITY;
  let shown = false;
  const draw = (): void => {
    if (now() - drawnAt < REDRAW_MS || run.cases.size === 0) return;
    drawnAt = now();
    shown = true;
    write(ERASE_LINE + barText(state, drawnAt - start, estimate(drawnAt - start), Math.max(columns - 1, 1), paint));
  };
  const erase = (): void => {
    if (!shown) return;
    write(ERASE_LINE);
    shown = false;
  };
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();
  return {
    draw,
    erase,
    stop: () => {
      clearInterval(timer);
      erase();
    },
  };
}

const FIRST_BEAT_MS = 10_000;
const LONGEST_PAUSE_MS = 300_000;

/**
 * Lines for a log file, which nobody rewrites: the first after ten seconds, the next after twice the time each, at last every five
 * minutes. A run of two minutes writes four of them, one of two hours thirty; and no CI system takes it for dead.
 */
export function heartbeat({ write, paint, now, remaining, ...state }: ProgressOptions): Progress {
  const { run } = state;
  const start = now();
  let next = FIRST_BEAT_MS;
  const draw = (): void => {
    const elapsed = now() - start;
    if (elapsed < next || run.cases.size === 0) return;
    next = elapsed + Math.min(elapsed, LONGEST_PAUSE_MS);
    write(`${paint('dim', `- ${progressParts(state, elapsed, remaining(elapsed)).join('  ')}`)}\n`);
  };
  const timer = setInterval(draw, ESTIMATE_MS);
  timer.unref();
  return { draw, erase: () => undefined, stop: () => clearInterval(timer) };
}

/** Widths of the bar, by the columns that a terminal has at least. */
const BARS = [
  [100, 24],
  [70, 12],
] as const;

/** The bar and what follows it, as much as there is room for; whole parts, except for the name of a case. */
function barText(state: State, elapsedMs: number, leftMs: number | undefined, columns: number, paint: Paint): string {
  const length = BARS.find(([least]) => columns >= least - 1)?.[1] ?? 0;
  const full = Math.floor(shareDone(state.run) * length);
  let text = length > 0 ? `${paint('green', '█'.repeat(full))}${paint('dim', '░'.repeat(length - full))}` : '';
  let room = columns - length;
  for (const [at, part] of progressParts(state, elapsedMs, leftMs).entries()) {
    const gap = text === '' ? '' : '  ';
    const fitting = at === 0 || part.includes(':') ? shortened(part, Math.max(room - gap.length, 1)) : part;
    room -= gap.length + textWidth(fitting);
    if (room < 0 || fitting === '…') break;
    text += gap + fitting;
  }
  return text;
}

const shareDone = ({ cases, counts }: Run): number => (cases.size - counts.notrun) / Math.max(cases.size, 1);

/** How far it is, the time that it has taken and will take, what went wrong, what runs. */
function progressParts({ run, failing }: State, elapsedMs: number, leftMs: number | undefined): string[] {
  const { counts, cases } = run;
  const statuses = [...VIOLATING_STATUSES, 'error' as const].filter((status) => failing[status] > 0);
  const bad = statuses.map((status) => `${failing[status]} ${WORDS[status]}`);
  // With several workers, the longest-running case is shown.
  const [oldest] = run.running;
  return [
    `${Math.floor(shareDone(run) * 100)} %`,
    `${cases.size - counts.notrun}/${cases.size}`,
    `${duration(elapsedMs)}${leftMs === undefined || leftMs < SOON_MS || counts.notrun === 0 ? '' : `, about ${roughly(leftMs)} left`}`,
    ...(bad.length > 0 ? [bad.join(', ')] : []),
    ...(oldest ? [cleanLine(oldest.plan.id)] : []),
  ];
}

/** An estimate of no time at all is wrong: what runs takes longer than was thought. */
const SOON_MS = 500;

/** An estimate is not a measurement: whole seconds below a minute, whole minutes above. */
const roughly = (milliseconds: number): string =>
  milliseconds < 59_500 ? `${Math.round(milliseconds / 1000)} s` : `${Math.round(milliseconds / 60_000)} min`;

/** The estimate, updated now and then. */
function throttled(estimate: (elapsedMs: number) => number | undefined): (elapsedMs: number) => number | undefined {
  let madeAt = Number.NEGATIVE_INFINITY;
  let made: number | undefined;
  return (elapsedMs) => {
    if (elapsedMs - madeAt >= ESTIMATE_MS) {
      madeAt = elapsedMs;
      made = estimate(elapsedMs);
    }
    return made;
  };
}

/** Share of the cases that an estimate without any knowledge of them needs. */
const ENOUGH = 0.1;

/** The remaining time if the other cases take as long as those of this session, which may have begun with some of them done. */
export function evenly(run: Run, elapsedMs: number): number | undefined {
  const { cases, counts, resumed } = run;
  const since = resumed.at(-1)?.atMs ?? 0;
  const done = [...cases.values()].filter(
    ({ finishedAtMs }) => finishedAtMs !== undefined && finishedAtMs > since,
  ).length;
  return done < ENOUGH * (done + counts.notrun) ? undefined : (elapsedMs * counts.notrun) / Math.max(done, 1);
}

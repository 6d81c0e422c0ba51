import type { Event } from '../model/events.ts';
import { applyEvent, type CaseRun, emptyRun, type Run, type SuiteRun, statusOf } from '../model/run.ts';
import { BROKEN_STATUSES } from '../model/status.ts';
import { isRed, isUnexpectedPass, type Weighing } from '../verdict/breach.ts';
import { recordedVerdict } from '../verdict/verdict.ts';
import { caseBlock, caseLine, suiteLine } from './console/cases.ts';
import { Folding } from './console/causes.ts';
import { headerLine } from './console/header.ts';
import { type Paint, painter } from './console/paint.ts';
import { summaryLines, verdictLine } from './console/summary.ts';
import { duration } from './console/words.ts';
import { cleanLine, cleanText, cut } from './sanitize.ts';

export interface ConsoleOptions {
  stream: { write(text: string): unknown };
  /** The run, if the caller keeps it: it then applies each event before the reporter gets it. */
  run?: Run;
  /** Show a progress line that is rewritten in place; otherwise print one line per suite. */
  isTTY: boolean;
  color: boolean;
  /** Width of the terminal; the progress line must not wrap. */
  columns?: number;
  /** Print every case, the full detail of every failure and warning, and every root cause. */
  verbose?: boolean;
  /** Print only failures and the verdict. */
  quiet?: boolean;
  /** Milliseconds from any fixed point; used only by the progress line. */
  now?: () => number;
  /** Estimated remaining time of the run in milliseconds, if known. */
  remaining?: (elapsedMs: number) => number | undefined;
}

/** Shows a run while it is running. Pass it every event of the log in order, and close it when the reports are written. */
export interface ConsoleReporter {
  event(event: Event): void;
  /** Prints the summary and the verdict. `reports`: the written files, one line each. */
  close(reports?: readonly string[]): void;
}

const REDRAW_MS = 100;
/** Minimum time between estimates. */
const ESTIMATE_MS = 1000;
/** Without a progress line, the first estimate longer than this is printed once. */
const LONG_MS = 60_000;
const ERASE_LINE = '\r\x1b[2K';

export function createConsoleReporter(options: ConsoleOptions): ConsoleReporter {
  const { stream, isTTY, verbose = false, quiet = false, columns = 80, now = () => performance.now() } = options;
  const paint = painter(options.color);
  const run: Run = options.run ?? emptyRun();
  const remaining = throttled(options.remaining ?? (() => undefined), now);
  const progress =
    isTTY && !quiet ? createProgress(run, columns, now, remaining, (text) => stream.write(text)) : undefined;
  const weighing = (): Weighing => run.header?.options ?? {};
  /** Lines in a pipe are for another program or a file, which have no width. */
  const width = isTTY ? columns : Number.POSITIVE_INFINITY;
  const folding = verbose ? undefined : new Folding();
  let nameWidth = 0;
  let printedBlock = false;
  let estimated = progress !== undefined || quiet;
  const printEstimate = (): void => {
    const left = estimated ? undefined : remaining();
    if (left === undefined) return;
    estimated = true;
    if (left > LONG_MS) print([paint('dim', `- about ${roughly(left)} left, estimated from the cases so far`)]);
  };

  const print = (lines: readonly string[]): void => {
    progress?.erase();
    stream.write(`${lines.join('\n')}\n`);
  };
  const printSuite = (suite: SuiteRun): void => {
    const lines = folding?.lines(suite, width, paint) ?? [];
    if (!quiet) lines.push(suiteLine(suite, weighing(), nameWidth, paint));
    if (lines.length === 0) return;
    print(lines);
    printedBlock = false;
  };
  const printCase = (item: CaseRun): void => {
    const status = statusOf(item);
    const fails = isRed(item, weighing());
    const broken = fails || BROKEN_STATUSES.includes(status) || isUnexpectedPass(item.result);
    if (broken && (fails || !quiet)) {
      if (folding && !folding.prints(run, item, fails)) return;
      // Blank lines separate multi-line blocks; a block right after another already ends with one.
      print([...(printedBlock ? [] : ['']), ...caseBlock(run, item, weighing(), verbose, paint), '']);
      printedBlock = true;
    } else if (verbose && !quiet) {
      print([caseLine(item, paint)]);
      printedBlock = false;
    }
  };

  return {
    event(event) {
      if (!options.run) applyEvent(run, event);
      if (event.type === 'header' && !quiet) print([headerLine(run, paint)]);
      if (event.type === 'suite') nameWidth = Math.max(nameWidth, cleanLine(event.suite).length);
      if (event.type === 'note' && (event.level === 'error' || (!quiet && (verbose || event.level === 'warning')))) {
        print(noteLines(event, verbose, paint));
      }
      if (event.type === 'worker' && verbose && !quiet && event.what === 'exit') {
        const how = event.signal ?? (event.exitCode === undefined ? '' : `code ${event.exitCode}`);
        print(
          [cleanLine(`  worker ${event.worker} ended ${how}${event.note ? `: ${event.note}` : ''}`)].map((line) =>
            paint('dim', line),
          ),
        );
      }
      if (event.type === 'case') {
        const item = run.cases.get(event.id);
        if (item) {
          printCase(item);
          if (item.suite.done === item.suite.cases.length) printSuite(item.suite);
        }
        printEstimate();
      }
      progress?.draw();
    },
    close(reports = []) {
      progress?.stop();
      const unfinished = run.suites.filter((suite) => suite.done < suite.cases.length);
      for (const suite of unfinished) {
        if (suite.done > 0) printSuite(suite);
      }
      const untouched = unfinished.filter((suite) => suite.done === 0).length;
      if (untouched > 0 && !quiet)
        print([paint('dim', `- ${untouched} of ${run.suites.length} suites have no result`)]);
      if (!quiet) print(summaryLines(run, weighing(), reports, { verbose, width, paint }));
      print([verdictLine(recordedVerdict(run), paint)]);
    },
  };
}

interface Progress {
  draw(): void;
  erase(): void;
  stop(): void;
}

// Redrawn by events, and by a timer so that the clock moves while a case hangs; both at most ten times a second.
function createProgress(
  run: Run,
  columns: number,
  now: () => number,
  remaining: () => number | undefined,
  write: (text: string) => void,
): Progress {
  const start = now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  let shown = false;
  const draw = (): void => {
    if (now() - drawnAt < REDRAW_MS || run.cases.size === 0) return;
    drawnAt = now();
    shown = true;
    write(ERASE_LINE + cut(progressText(run, drawnAt - start, remaining()), Math.max(columns - 1, 1)));
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

function progressText(run: Run, elapsedMs: number, remainingMs: number | undefined): string {
  const { counts, cases } = run;
  const bad = [
    counts.fail > 0 && `${counts.fail} failed`,
    counts.crash > 0 && `${counts.crash} crashed`,
    counts.timeout > 0 && `${counts.timeout} timed out`,
    counts.flaky > 0 && `${counts.flaky} flaky`,
    counts.error > 0 && `${counts.error} internal errors`,
  ].filter(Boolean);
  // With several workers, the longest-running case is shown.
  const [oldest] = run.running;
  const left = remainingMs === undefined ? [] : [`about ${roughly(remainingMs)} left`];
  const parts = [duration(elapsedMs), `${cases.size - counts.notrun}/${cases.size}`, ...left, ...bad];
  return parts.join('  ') + (oldest ? `  ${cleanLine(oldest.plan.id)}` : '');
}

/** An estimate is not a measurement: whole seconds below a minute, whole minutes above. */
const roughly = (milliseconds: number): string =>
  milliseconds < 59_500 ? `${Math.round(milliseconds / 1000)} s` : `${Math.round(milliseconds / 60_000)} min`;

/** The estimate, updated now and then. */
function throttled(estimate: (elapsedMs: number) => number | undefined, now: () => number): () => number | undefined {
  const start = now();
  let madeAt = Number.NEGATIVE_INFINITY;
  let made: number | undefined;
  return () => {
    if (now() - madeAt >= ESTIMATE_MS) {
      madeAt = now();
      made = estimate(madeAt - start);
    }
    return made;
  };
}

/** A note of the run; with its detail if it is an error, or if `verbose` is set. */
function noteLines(note: Extract<Event, { type: 'note' }>, verbose: boolean, paint: Paint): string[] {
  const styles = { info: 'dim', warning: 'yellow', error: 'red' } as const;
  const detail = verbose || note.level === 'error' ? cleanText(note.detail ?? '').trimEnd() : '';
  return [
    `${paint(styles[note.level], `${note.level}:`)} ${cleanLine(note.message)}`,
    ...(detail === '' ? [] : detail.split('\n').map((line) => `    ${line}`)),
  ];
}

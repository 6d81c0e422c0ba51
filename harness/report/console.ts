import { cleanLine } from '../base/sanitize.ts';
import { shortened, wrapped } from '../base/text-table.ts';
import { TOOL } from '../base/tool.ts';
import type { Event } from '../model/events.ts';
import { applyEvent, type CaseRun, emptyRun, type Run, type SuiteRun, statusOf, zeroCounts } from '../model/run.ts';
import { VIOLATING_STATUSES } from '../model/status.ts';
import { isUnexpectedPass, type Weighing } from '../verdict/breach.ts';
import { causeIndex } from '../verdict/cause-index.ts';
import { breachCause } from '../verdict/root-causes.ts';
import { isRed } from '../verdict/standing.ts';
import { recordedVerdict } from '../verdict/verdict.ts';
import { caseBlock, caseLine, failureLine, suiteLine } from './console/cases.ts';
import { attention } from './console/failure-groups.ts';
import { failureLines } from './console/failures.ts';
import { headerLine } from './console/header.ts';
import { Notes } from './console/notes.ts';
import { painter } from './console/paint.ts';
import { evenly, heartbeat, progressLine } from './console/progress.ts';
import { summaryLines, verdictLine } from './console/summary.ts';
import type { RequirementTexts } from './format.ts';

export interface ConsoleOptions {
  stream: { write(text: string): unknown };
  /** The run, if the caller keeps it: it then applies each event before the reporter gets it. */
  run?: Run;
  /** The run goes on while it is shown: progress and first failures are of interest. Default: true. */
  live?: boolean;
  /** A terminal: progress is a line that is rewritten in place, and lines are as wide as `columns`. */
  isTTY: boolean;
  color: boolean;
  /** Width of the terminal; default: 80. */
  columns?: number;
  /** Where the suite is that the log names; default: as it names it. Not asked about the log of another version. */
  onDisk?: (file: string) => string;
  /** Print every suite and case, the full detail of every failure and warning, and whole lists. */
  verbose?: boolean;
  /** Print only failures and the verdict. */
  quiet?: boolean;
  /** Milliseconds from any fixed point; used only for progress. */
  now?: () => number;
  /** Estimated remaining time of the run in milliseconds, if known. Default: by the number of cases. */
  remaining?: (elapsedMs: number) => number | undefined;
}

/** What the end of a run shows besides its results. */
export interface Closing {
  /** The written files, one line each. */
  reports?: readonly string[];
  /** Path of the log. */
  log?: string;
  texts?: RequirementTexts;
}

/** Shows a run while it is running. Pass it every event of the log in order, and close it when the reports are written. */
export interface ConsoleReporter {
  event(event: Event): void;
  /** Prints the failures by cause, the summary and the verdict. */
  close(closing?: Closing): void;
}

/** Failures that are named while the run goes on: the first of each root cause. */
const NAMED = 10;

export function createConsoleReporter(options: ConsoleOptions): ConsoleReporter {
  const { stream, isTTY, live = true, verbose = false, quiet = false, columns = 80 } = options;
  const { now = () => performance.now() } = options;
  const paint = painter(options.color);
  const run: Run = options.run ?? emptyRun();
  const weighing = (): Weighing => run.header?.options ?? {};
  const places = (): Pick<ConsoleOptions, 'onDisk'> =>
    options.onDisk && run.header?.tool.version === TOOL.version ? { onDisk: options.onDisk } : {};
  /** Lines in a pipe are for another program or a file, which have no width. */
  const width = isTTY ? columns : Number.POSITIVE_INFINITY;
  const failing = zeroCounts();
  const remaining = options.remaining ?? ((elapsedMs: number) => evenly(run, elapsedMs));
  const state = { run, failing, write: (text: string) => stream.write(text), paint, now, remaining };
  const progress = !live || quiet ? undefined : isTTY ? progressLine(columns, state) : heartbeat(state);
  const notes = new Notes({ verbose, quiet }, paint);
  const named = new Set<string>();
  let nameWidth = 0;
  let printedBlock = false;

  const print = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    progress?.erase();
    stream.write(`${lines.join('\n')}\n`);
  };
  const printSuite = (suite: SuiteRun): void => {
    print([suiteLine(suite, weighing(), nameWidth, paint)]);
    printedBlock = false;
  };
  /** With --verbose: every case as it ends, and its suite when that is done. */
  const printCase = (item: CaseRun): void => {
    const isFailure =
      isRed(item, weighing()) || VIOLATING_STATUSES.includes(statusOf(item)) || isUnexpectedPass(item.result);
    if (isFailure) {
      // Blank lines separate multi-line blocks; a block right after another already ends with one.
      print([
        ...(printedBlock ? [] : ['']),
        ...caseBlock(run, item, weighing(), { paint, verbose, width, ...places() }),
        '',
      ]);
    } else print([caseLine(item, paint)]);
    printedBlock = isFailure;
    if (item.suite.done === item.suite.cases.length) printSuite(item.suite);
  };
  /** Otherwise: the first failures, one line each; the end of the run has more about them. */
  const nameFailure = (item: CaseRun): void => {
    const key = breachCause(run, item)?.key ?? item.plan.id;
    if (!live || quiet || named.has(key) || named.size > NAMED) return;
    named.add(key);
    const isLast = named.size > NAMED;
    print([isLast ? paint('dim', '  … further causes at the end') : shortened(failureLine(item, paint), width)]);
  };

  return {
    event(event) {
      if (!options.run) applyEvent(run, event);
      if (event.type === 'header' && !quiet)
        print(
          headerLine(run, paint)
            .split('\n')
            .flatMap((line) => wrapped(line, width)),
        );
      if (event.type === 'suite') nameWidth = Math.max(nameWidth, cleanLine(event.suite).length);
      if (event.type === 'note') print(notes.lines(event).flatMap((line) => wrapped(line, width)));
      if (event.type === 'worker' && verbose && !quiet && event.what === 'exit') {
        const how = event.signal ?? (event.exitCode === undefined ? '' : `code ${event.exitCode}`);
        const text = `  worker ${event.worker} ended ${how}${event.note ? `: ${event.note}` : ''}`;
        print([paint('dim', cleanLine(text))]);
      }
      const item = event.type === 'case' ? run.cases.get(event.id) : undefined;
      if (item) {
        const fails = isRed(item, weighing());
        if (fails) failing[statusOf(item)]++;
        if (verbose && !quiet) printCase(item);
        else if (fails) nameFailure(item);
      }
      progress?.draw();
    },
    close({ reports = [], log, texts } = {}) {
      progress?.stop();
      const index = causeIndex(run);
      const noted = attention(run, weighing(), index);
      const manner = { verbose, width, paint, texts, ...places() };
      if (verbose && !quiet) {
        for (const suite of run.suites) if (suite.done > 0 && suite.done < suite.cases.length) printSuite(suite);
      }
      print(notes.rest());
      print(failureLines(run, weighing(), noted.failures, manner));
      if (quiet && noted.failures.length > 0) print(['']);
      if (!quiet) print(summaryLines(run, weighing(), index, noted, reports, manner));
      const hasMore = noted.failures.some(({ items }) => items.length > 1);
      if (hasMore && log !== undefined && !verbose)
        print([paint('dim', `every failure in full: npx ${run.header?.tool.name} report ${log} --verbose`)]);
      print(wrapped(verdictLine(recordedVerdict(run), paint), width));
    },
  };
}

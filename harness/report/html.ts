import { cleanLine, cleanText } from '../base/sanitize.ts';
import type { Attempt, CallTrace } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import { placeLines } from '../model/place-lines.ts';
import { type CaseRun, type Run, reasonOf, type SuiteRun, statusOf, suiteDurationMs } from '../model/run.ts';
import { STATUSES } from '../model/status.ts';
import {
  breachOf,
  isAcceptedDeviation,
  isExpectedFailure,
  isRed,
  isUnexpectedPass,
  type Weighing,
} from '../verdict/breach.ts';
import { type CauseIndex, causeIndex, type NumberedCause } from '../verdict/cause-index.ts';
import { exercised, exercisedText } from '../verdict/exercised.ts';
import { EXIT_CODES } from '../verdict/exit-codes.ts';
import { judgementLine } from '../verdict/judgement-line.ts';
import { recordedVerdict } from '../verdict/verdict.ts';
import { violatedRequirementsOf } from '../verdict/violated-requirements.ts';
import { capturedText } from './captured-text.ts';
import { causeWithEffect } from './cause-lines.ts';
import { headline, rankedFindings, reproduceCommand } from './failure-text.ts';
import type { ReportOptions } from './format.ts';
import type { CaseColumns, CaseDetail, HtmlBlocks, HtmlFinding, HtmlHead, HtmlPart } from './html-data.ts';
import { htmlNumbers, writeNumerics } from './html-numbers.ts';
import { packedBlock, writePage } from './html-page.ts';
import { writeSources } from './html-sources.ts';
import { reportHead } from './json.ts';
import { htmlText } from './markdown-text.ts';

/** Cases per block of rows: few enough that a browser unpacks a block between two frames. */
const ROWS = 4000;
/** Characters of JSON after which a block of details is full. */
const DETAIL_UNITS = 1 << 19;

type Write = (chunk: string) => void;

/** The run as one self-contained HTML file that needs no network. */
export function writeHtml(run: Run, write: Write, options: ReportOptions = {}): void {
  const index = causeIndex(run);
  writePage(write, staticSummary(run, index), () => writeData(run, index, write, options));
}

function writeData(run: Run, index: CauseIndex, write: Write, options: ReportOptions): void {
  write(block('head', 0, htmlHead(run, index, options)));
  const items = run.suites.flatMap((suite, at) => suite.cases.map((item) => ({ item, suite: at })));
  const weighing = run.header?.options ?? {};
  const timeless = options.fixedTime !== undefined;
  for (let from = 0; from < items.length; from += ROWS) {
    write(block('rows', from, columns(items.slice(from, from + ROWS), index, weighing, timeless)));
  }
  writeDetails(run, items, timeless, write);
  writeNumerics(
    items.map(({ item }) => item),
    write,
  );
  writeSources(
    items.map(({ item }) => item.plan.id),
    options.sources,
    write,
  );
}

interface Placed {
  item: CaseRun;
  suite: number;
}

function block<P extends HtmlPart>(part: P, from: number, value: HtmlBlocks[P]): string {
  return packedBlock(part, from, JSON.stringify(value));
}

function htmlHead(run: Run, index: CauseIndex, options: ReportOptions): HtmlHead {
  const { fixedTime, hostname, requirements, levels } = options;
  const head = cleaned(reportHead(run, index));
  const ids = new Set(
    [...run.cases.values()].flatMap(({ plan, result }) => [
      ...plan.covers,
      ...(result?.findings.flatMap((finding) => finding.requirements ?? []) ?? []),
    ]),
  );
  return {
    ...head,
    rootCauses: head.rootCauses.map(({ failed: _, blocked: __, ...cause }) => cause),
    ...(head.host && hostname !== undefined ? { host: { ...head.host, name: hostname } } : {}),
    ...(fixedTime
      ? {
          startedAt: fixedTime.toISOString(),
          finishedAt: fixedTime.toISOString(),
          durationMs: 0,
          peakRssBytes: undefined,
        }
      : {}),
    suites: run.suites.map((suite) => suiteHead(suite, fixedTime !== undefined)),
    requirements: entriesOf(requirements, ids),
    levels: entriesOf(levels, ids),
    workers: fixedTime ? [] : cleaned(run.workers.map(({ type: _, ...worker }) => worker)),
    timeless: fixedTime !== undefined,
    exitMeaning: EXIT_CODES.find(({ code }) => code === head.verdict.exitCode)?.meaning ?? '',
    ...(run.mustpass ? { judgementLine: cleanLine(judgementLine(run.mustpass)) } : {}),
  };
}

/** The entries of these keys, sorted. */
const entriesOf = <T>(all: ReadonlyMap<string, T> = new Map(), keys: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(
    [...keys].sort().flatMap((key) => {
      const value = all.get(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );

const suiteHead = (suite: SuiteRun, timeless: boolean): HtmlHead['suites'][number] =>
  cleaned({
    suite: suite.suite,
    file: suite.file,
    title: suite.title,
    sha256: suite.sha256,
    durationMs: timeless ? 0 : suiteDurationMs(suite),
    counts: suite.counts,
    cases: suite.cases.length,
  });

/** A value as in JSON, with clean text only. */
const cleaned = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value, (_, entry) => (typeof entry === 'string' ? cleanText(entry) : entry))) as T;

function ownFiles(items: readonly Placed[]): Pick<CaseColumns, 'file'> {
  const own = items.flatMap(({ item: { plan } }, i) => (plan.file === undefined ? [] : [[i, cleanLine(plan.file)]]));
  return own.length === 0 ? {} : { file: Object.fromEntries(own) };
}

function columns(items: readonly Placed[], index: CauseIndex, weighing: Weighing, timeless: boolean): CaseColumns {
  const of = <T>(value: (item: CaseRun) => T): T[] => items.map(({ item }) => value(item));
  const bit = (value: (item: CaseRun) => unknown): (0 | 1)[] => of((item) => (value(item) ? 1 : 0));
  const time = (value: (item: CaseRun) => number | undefined): (number | null)[] =>
    of((item) => (timeless ? null : rounded(value(item) ?? null)));
  return {
    id: of(({ plan }) => cleanLine(plan.id)),
    title: of(({ plan }) => cleanLine(plan.title)),
    suite: items.map(({ suite }) => suite),
    ...ownFiles(items),
    line: of(({ plan }) => plan.line),
    level: of(({ plan }) => plan.level),
    covers: of(({ plan }) => plan.covers.map(cleanLine)),
    tags: of(({ plan }) => plan.tags.map(cleanLine)),
    status: of(statusOf),
    breach: of(({ plan, result }) => breachOf(plan.level, result) ?? null),
    fails: bit((item) => isRed(item, weighing)),
    accepted: bit(
      ({ plan, result }) => isAcceptedDeviation(plan, result, weighing) || isExpectedFailure(plan, result, weighing),
    ),
    informative: bit(({ plan }) => plan.informative),
    known: bit(({ result }) => result?.knownDeviation),
    detailed: bit((item) => isDetailed(item, timeless)),
    durationMs: of(({ result }) => (timeless ? 0 : (rounded(result?.durationMs ?? 0) as number))),
    nativeMs: of(({ result }) => (timeless ? 0 : (rounded(result?.nativeMs ?? 0) as number))),
    calls: of(({ result }) => result?.calls ?? 0),
    startMs: time(({ startedAtMs }) => startedAtMs),
    endMs: time(({ finishedAtMs }) => finishedAtMs),
    worker: of(({ worker }) => (timeless ? null : (worker ?? null))),
    message: of(messageOf),
    about: of(({ result }) =>
      unique([...(result?.findings.map((finding) => finding.call) ?? []), result?.inFlight]).map(cleanLine),
    ),
    breaks: of((item) => violatedRequirementsOf(item).map(cleanLine)),
    cause: of(({ plan }) => index.of(plan.id)?.number ?? 0),
  };
}

function messageOf(item: CaseRun): string {
  if (isUnexpectedPass(item.result) && statusOf(item) === 'pass') return 'passed unexpectedly';
  return isQuiet(item) ? cleanLine(reasonOf(item) ?? '') : headline(item);
}

const isQuiet = (item: CaseRun): boolean => ['pass', 'unsupported', 'skip', 'notrun'].includes(statusOf(item));

const unique = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];

/** Two decimals: a hundredth of a millisecond is below the precision of a clock in another process. */
const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 100) / 100);

const isDetailed = (item: CaseRun, timeless: boolean): boolean =>
  statusOf(item) === 'notrun' ||
  (item.result !== undefined &&
    (!isQuiet(item) ||
      item.result.attempts !== undefined ||
      item.result.expectation !== undefined ||
      (!timeless && Object.keys(item.result.callMs ?? {}).length > 0) ||
      item.result.findings.length > 0 ||
      hasOutput(item.result.stdout) ||
      hasOutput(item.result.stderr)));

const hasOutput = (captured: { head: string; tail: string } | undefined): boolean =>
  captured !== undefined && captured.head.length + captured.tail.length > 0;

function detailOf(run: Run, item: CaseRun, timeless: boolean): CaseDetail {
  const { result, plan } = item;
  const { inFlight, signal, exitCode, knownDeviation, expectation, attempts, callMs, trace } = result ?? {};
  const [stdout, stderr] = [capturedText(result?.stdout), capturedText(result?.stderr)];
  return {
    ...(result ? { findings: rankedFindings(result).map(readable) } : {}),
    ...{ inFlight, signal, exitCode, knownDeviation, expectation },
    ...(attempts ? { attempts: timeless ? attempts.map(withoutTimes) : attempts } : {}),
    ...(callMs && !timeless ? { callMs } : {}),
    ...(trace ? { trace: timeless ? untimed(trace) : trace } : {}),
    ...(stdout === '' ? {} : { stdout }),
    ...(stderr === '' ? {} : { stderr }),
    ...(isQuiet(item) && statusOf(item) !== 'notrun' ? {} : { reproduce: reproduceCommand(run, plan.id) }),
  };
}

/** The places of mismatches in words too, and numbers in decimal. */
const readable = ({ numbers, ...finding }: Finding): HtmlFinding => ({
  ...finding,
  ...(finding.where ? { whereText: placeLines(finding.where) } : {}),
  ...(numbers ? { numbers: htmlNumbers(numbers) } : {}),
});

const withoutTimes = (attempt: Attempt): Attempt => ({ ...attempt, worker: 0, atMs: 0, durationMs: 0 });

const untimed = ({ before, calls }: CallTrace): CallTrace => ({
  before,
  calls: calls.map(({ durationMs: _, ...call }) => call),
});

function writeDetails(run: Run, items: readonly Placed[], timeless: boolean, write: Write): void {
  let entries: string[] = [];
  let units = 0;
  let from = 0;
  const flush = (): void => {
    if (entries.length > 0) write(packedBlock('details', from, `[${entries.join(',')}]`));
    entries = [];
    units = 0;
  };
  items.forEach(({ item }, index) => {
    if (!isDetailed(item, timeless)) return;
    if (entries.length === 0) from = index;
    const entry = JSON.stringify([index, detailOf(run, item, timeless)], (_, value) =>
      typeof value === 'string' ? cleanText(value) : value,
    );
    entries.push(entry);
    units += entry.length;
    if (units >= DETAIL_UNITS) flush();
  });
  flush();
}

/** Shown if scripts do not run, for example in the sandbox of some CI systems. */
function staticSummary(run: Run, { causes }: CauseIndex): string {
  const { exitCode, line } = recordedVerdict(run);
  const plugins = run.header?.plugins.map(({ name }) => name).join(' + ') ?? 'a plugin';
  const counts = STATUSES.filter((status) => run.counts[status] > 0).map((s) => `${run.counts[s]} ${s}`);
  return (
    `<h1>PJRT conformance of ${htmlText(plugins)}</h1>` +
    `<p><strong>${htmlText(line)}</strong> (exit code ${exitCode})</p>` +
    `<p>${run.cases.size} cases: ${counts.join(', ') || 'none'}. ${exercisedText(exercised(run))}.</p>` +
    (causes.length === 0 ? '' : `<h2>Root causes</h2><ol>${staticCauses(causes)}</ol>`)
  );
}

/** Number of root causes shown without scripts. */
const STATIC_CAUSES = 20;

function staticCauses(causes: readonly NumberedCause[]): string {
  const lines = causes.slice(0, STATIC_CAUSES).map((cause) => causeWithEffect(cause));
  if (causes.length > STATIC_CAUSES) lines.push(`and ${causes.length - STATIC_CAUSES} more`);
  return lines.map((line) => `<li>${htmlText(line)}</li>`).join('');
}

import { cleanLine, cleanText } from '../base/sanitize.ts';
import type { Attempt, CallTrace } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import { placeLines } from '../model/place-lines.ts';
import { type CaseRun, type Run, type SuiteRun, statusOf } from '../model/run.ts';
import { type CauseIndex, causeIndex, type NumberedCause } from '../verdict/cause-index.ts';
import { causesLine } from '../verdict/cause-text.ts';
import { exercised, exercisedText } from '../verdict/exercised.ts';
import { exitMeaning } from '../verdict/exit-codes.ts';
import { judgementLine } from '../verdict/judgement-line.ts';
import { redCounts } from '../verdict/standing.ts';
import { recordedVerdict } from '../verdict/verdict.ts';
import { CUT_SHORT } from '../verdict/violated-requirements.ts';
import { capturedText } from './captured-text.ts';
import { causeWithEffect } from './cause-lines.ts';
import { painter } from './console/paint.ts';
import { countsText } from './console/words.ts';
import { rankedFindings, reproduceCase } from './failure-text.ts';
import { lastWords } from './fatal-line.ts';
import type { ReportOptions } from './format.ts';
import { caseColumns, isDetailed, isQuiet } from './html-columns.ts';
import type { CaseDetail, HtmlBlocks, HtmlFinding, HtmlHead, HtmlPart } from './html-data.ts';
import { htmlNumbers, writeNumerics } from './html-numbers.ts';
import { packedBlock, writePage } from './html-page.ts';
import { writeSources } from './html-sources.ts';
import { cleaned, reportHead, suiteHead } from './json.ts';
import { htmlText } from './markdown-text.ts';
import { sourceLink } from './requirement-source.ts';

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
  const items = run.suites.flatMap(({ cases }) => cases);
  const timeless = options.fixedTime !== undefined;
  const context = { suites: run.suites, index, weighing: run.header?.options ?? {}, timeless };
  for (let from = 0; from < items.length; from += ROWS) {
    write(block('rows', from, caseColumns(items.slice(from, from + ROWS), context)));
  }
  writeDetails(run, items, timeless, write);
  writeNumerics(items, write);
  writeSources(
    items.map(({ plan }) => plan.id),
    options.sources,
    write,
  );
}

function block<P extends HtmlPart>(part: P, from: number, value: HtmlBlocks[P]): string {
  return packedBlock(part, from, JSON.stringify(value));
}

function htmlHead(run: Run, index: CauseIndex, options: ReportOptions): HtmlHead {
  const { fixedTime, hostname, requirements, bases, levels } = options;
  const head = cleaned(reportHead(run, index));
  const at = fixedTime?.toISOString();
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
    ...(fixedTime && { startedAt: at, finishedAt: at, durationMs: 0, peakRssBytes: undefined }),
    suites: run.suites.map((suite) => suiteOf(suite, fixedTime !== undefined)),
    requirements: entriesOf(requirements, ids),
    bases: entriesOf(bases, ids),
    links: entriesOf(linksOf(bases), ids),
    levels: entriesOf(levels, ids),
    workers: fixedTime ? [] : cleaned(run.workers.map(({ type: _, ...worker }) => worker)),
    timeless: fixedTime !== undefined,
    exitMeaning: exitMeaning(head.verdict.exitCode, (circumstance) => circumstances(run).includes(circumstance)),
    ...(index.causes.length > 0 ? { causesLine: causesLine(index.causes) } : {}),
    ...(run.mustpass ? { judgementLine: cleanLine(judgementLine(run.mustpass)) } : {}),
  };
}

/** What decides the verdict of a run besides MUSTs. Whether it had a gate no log says; the verdict of one that fails does. */
const circumstances = ({ header, mustpass, frameworks }: Run): string[] => [
  ...(header?.options?.strict ? ['strict'] : []),
  ...(header?.options?.strictExpectations ? ['strictExpectations'] : []),
  ...(mustpass ? ['mustpass'] : []),
  ...(frameworks.length > 0 ? ['framework'] : []),
];

const linksOf = (bases: ReportOptions['bases'] = new Map()): ReadonlyMap<string, string | undefined> =>
  new Map([...bases].map(([id, source]) => [id, sourceLink(source)]));

/** The entries of these keys, sorted. */
const entriesOf = <T>(
  all: ReadonlyMap<string, T | undefined> = new Map(),
  keys: ReadonlySet<string>,
): Record<string, T> =>
  Object.fromEntries(
    [...keys].sort().flatMap((key) => {
      const value = all.get(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );

const suiteOf = (suite: SuiteRun, timeless: boolean): HtmlHead['suites'][number] =>
  cleaned({ ...suiteHead(suite), ...(timeless ? { durationMs: 0 } : {}), cases: suite.cases.length });

function detailOf(run: Run, item: CaseRun, timeless: boolean): CaseDetail {
  const { result } = item;
  const { inFlight, signal, exitCode, after, knownDeviation, expectation, attempts, callMs, trace } = result ?? {};
  const [stdout, stderr] = [capturedText(result?.stdout), capturedText(result?.stderr)];
  return {
    ...(result ? { findings: rankedFindings(result).map(readable) } : {}),
    ...{ inFlight, signal, exitCode, after, knownDeviation, expectation },
    ...(attempts ? { attempts: timeless ? attempts.map(withoutTimes) : attempts } : {}),
    ...(callMs && !timeless ? { callMs } : {}),
    ...(trace ? { trace: timeless ? untimed(trace) : trace } : {}),
    ...(stdout === '' ? {} : { stdout }),
    ...(stderr === '' ? {} : { stderr }),
    ...(result && CUT_SHORT.includes(result.status) ? { lastWords: lastWords(stderr) } : {}),
    ...(isQuiet(item) && statusOf(item) !== 'notrun' ? {} : { reproduce: reproduceCase(run, item) }),
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

function writeDetails(run: Run, items: readonly CaseRun[], timeless: boolean, write: Write): void {
  let entries: string[] = [];
  let units = 0;
  let from = 0;
  const flush = (): void => {
    if (entries.length > 0) write(packedBlock('details', from, `[${entries.join(',')}]`));
    entries = [];
    units = 0;
  };
  items.forEach((item, index) => {
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
  return (
    `<h1>PJRT conformance of ${htmlText(plugins)}</h1>` +
    `<p><strong>${htmlText(line)}</strong> (exit code ${exitCode})</p>` +
    `<p>${run.cases.size} cases: ${countsText(run.counts, painter(false), redCounts(run))}. ${exercisedText(exercised(run))}.</p>` +
    (causes.length === 0 ? '' : `<h2>${causesLine(causes)}</h2><ol>${staticCauses(causes)}</ol>`)
  );
}

/** Number of root causes shown without scripts. */
const STATIC_CAUSES = 20;

function staticCauses(causes: readonly NumberedCause[]): string {
  const lines = causes.slice(0, STATIC_CAUSES).map((cause) => causeWithEffect(cause));
  if (causes.length > STATIC_CAUSES) lines.push(`and ${causes.length - STATIC_CAUSES} more`);
  return lines.map((line) => `<li>${htmlText(line)}</li>`).join('');
}

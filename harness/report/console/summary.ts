import { counted } from '../../base/counted.ts';
import { tallied } from '../../base/grouping.ts';
import { cleanLine, cut } from '../../base/sanitize.ts';
import { shortened, textTable } from '../../base/text-table.ts';
import { type FrameworkVerdict, isUnusable } from '../../model/framework-verdict.ts';
import { type CaseRun, type Run, reasonOf, statusOf } from '../../model/run.ts';
import type { Status } from '../../model/status.ts';
import type { Weighing } from '../../verdict/breach.ts';
import type { CauseIndex } from '../../verdict/cause-index.ts';
import { causesLine } from '../../verdict/cause-text.ts';
import { exercised, exercisedText } from '../../verdict/exercised.ts';
import { staleEntries, staleText } from '../../verdict/expectations.ts';
import { effectOf } from '../../verdict/root-causes.ts';
import { failsRun, isKnown, redCounts } from '../../verdict/standing.ts';
import { frameworkLine, type Verdict } from '../../verdict/verdict.ts';
import { violatedRequirementsOf } from '../../verdict/violated-requirements.ts';
import { causeLine } from '../cause-lines.ts';
import { expectationText } from '../failure-text.ts';
import { numericLine, numericSummary } from '../numeric-summary.ts';
import type { Attention, CaseGroup } from './failure-groups.ts';
import { groupLines, type Manner } from './failures.ts';
import type { Paint } from './paint.ts';
import { LISTED, pluginLines } from './plugin.ts';
import { countsText, duration, WORDS } from './words.ts';

interface SummaryManner extends Manner {
  /** Whole lists. */
  verbose: boolean;
}

/** Rows of lists that are not about failures. */
const FEW = 5;
/** Length of a reason or of the text of a requirement, where lines do not end. */
const SENTENCE = 160;
const LABEL = 11;

/** A part of the summary: its label, and its lines. */
type Part = readonly [label: string, lines: readonly string[]];

/**
 * The last lines of a run: counts, plugins, what is known or expected in one line each, warnings, what the plugin does not
 * offer, violated requirements, other reasons why cases did not run, paths of the reports.
 */
export function summaryLines(
  run: Run,
  weighing: Weighing,
  index: CauseIndex,
  noted: Attention,
  reports: readonly string[],
  manner: SummaryManner,
): string[] {
  const { paint, verbose } = manner;
  const inside = { ...manner, width: manner.width - LABEL - 2 };
  const time = run.footer ? ` in ${duration(run.footer.durationMs)}` : '';
  const numerics = numericSummary(run);
  const all = Number.POSITIVE_INFINITY;
  const parts: Part[] = [
    ['cases', [`${run.cases.size}${time}: ${countsText(run.counts, paint, redCounts(run, weighing))}`]],
    ['', run.cases.size > 0 ? [exercisedText(exercised(run))] : []],
    ['causes', [causesLine(index.causes)].filter((line) => line !== undefined)],
    ...run.plugins.map((plugin): Part => ['plugin', pluginLines(plugin, paint)]),
    ...run.frameworks.map((framework): Part => ['framework', frameworkLines(framework, paint)]),
    ['numerics', numerics && numerics.comparisons > 0 ? [cleanLine(numericLine(numerics))] : []],
    ['known', knownLine(run, weighing, verbose)],
    ['expected', verbose ? frequent(noted.expected.map(expectedReason), all, inside) : expectedLine(noted.expected)],
    ['unexpected', listed(noted.unexpected.map(unexpectedText), verbose ? all : LISTED, paint)],
    [
      'stale',
      listed(
        staleEntries(run).map((entry) => cleanLine(staleText(entry))),
        all,
        paint,
      ),
    ],
    ['warnings', groupLines(noted.warnings.filter(isNews), verbose ? all : LISTED, 'yellow', '!', inside)],
    ['violated', frequent(violated(run, weighing, inside), verbose ? all : LISTED, inside)],
    ['not offered', frequent(notOffered(index, noted), verbose ? all : FEW, inside)],
    ...(['unsupported', 'skip', 'notrun'] as const).map(
      (status): Part => [WORDS[status], frequent(reasons(run, status, index), verbose ? all : FEW, inside)],
    ),
    ['reports', reports.map(cleanLine)],
  ];
  const rows = parts.flatMap(([label, lines]) =>
    lines.map((line, at) => [at === 0 && label !== '' ? paint('bold', label) : '', line] as const),
  );
  return ['', ...textTable(rows, { gap: ' ', atLeast: [LABEL], width: manner.width })];
}

/** Whether its cause is not among the failures already. */
const isNews = ({ cause }: CaseGroup): boolean => cause === undefined || effectOf(cause) !== 'failing';

/** How many violations the plugin's manifest explains, and how many of these fail the run all the same. */
function knownLine(run: Run, weighing: Weighing, verbose: boolean): string[] {
  const known = [...run.cases.values()].filter((item) => isKnown(item, weighing));
  if (known.length === 0) return [];
  const deviations = new Set(known.map(({ result }) => result!.knownDeviation!.reason)).size;
  const failing = known.filter((item) => failsRun(item, weighing)).length;
  const fails =
    failing > 0 ? `; ${failing} of them ${failing === 1 ? 'fails' : 'fail'} the run, unless it has --accept-known` : '';
  const where = verbose || failing === known.length ? '' : '; --verbose shows them';
  return [
    `${counted(known.length, 'case')}, by ${counted(deviations, 'known deviation')} of the manifest${fails}${where}`,
  ];
}

/** How many failures expectations files explain. */
function expectedLine(expected: readonly CaseRun[]): string[] {
  if (expected.length === 0) return [];
  const entries = new Set(expected.map(({ result }) => `${result!.expectation!.file}:${result!.expectation!.line}`));
  const files = [...new Set(expected.map(({ result }) => cleanLine(result!.expectation!.file)))].join(', ');
  const by = `${counted(entries.size, 'entry', 'entries')} of ${files}`;
  return [`${counted(expected.length, 'failure')}, by ${by}; --verbose shows them`];
}

const expectedReason = ({ result }: CaseRun): string => {
  const { reason, file, line } = result!.expectation!;
  return cleanLine(`${reason} (${file}:${line})`);
};

const unexpectedText = ({ plan, result }: CaseRun): string =>
  cleanLine(`${plan.id}: ${expectationText(result!) ?? ''}`);

/** Lines in yellow; the rest is counted. */
function listed(lines: readonly string[], limit: number, paint: Paint): string[] {
  const more = lines.length > limit ? [`and ${lines.length - limit} more`] : [];
  return [...lines.slice(0, limit).map((line) => paint('yellow', line)), ...more];
}

/** The verdict of a framework release: what the user sees, limits, the compatibility window. */
function frameworkLines(framework: FrameworkVerdict, paint: Paint): string[] {
  const { outcome, message, limits, untried, window } = framework;
  const style = isUnusable(framework) ? 'red' : outcome === 'unknown' ? 'yellow' : 'green';
  const shown = limits.slice(0, LISTED).map((limit) => `limit: ${limit}`);
  if (limits.length > LISTED) shown.push(`and ${limits.length - LISTED} more limits`);
  return [
    paint(style, cleanLine(frameworkLine(framework))),
    ...[
      ...(message === undefined ? [] : [`what the user sees: ${message}`]),
      ...shown,
      ...untried.map((what) => `not tried: ${what}`),
      window.text,
    ].map((line) => `  ${cut(cleanLine(line), 400)}`),
  ];
}

/** The last line of a run. */
export function verdictLine(verdict: Verdict, paint: Paint): string {
  const style = verdict.exitCode === 0 ? 'green' : 'red';
  return `${paint([style, 'bold'], cleanLine(verdict.line))} ${paint('dim', `(exit code ${verdict.exitCode})`)}`;
}

/** The most frequent texts with their counts, one line each; the rest is counted. */
function frequent(texts: readonly string[], limit: number, { width }: Manner): string[] {
  const ordered = [...tallied(texts)].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const room = Math.max(40, Math.min(SENTENCE, width - 8));
  const rows = ordered.slice(0, limit).map(([text, count]) => [String(count), '×', shortened(text, room)]);
  const others = ordered.slice(limit);
  const cases = others.reduce((sum, [, count]) => sum + count, 0);
  if (others.length > 0) rows.push(['', '', `and ${others.length} more, ${counted(cases, 'time')}`]);
  return textTable(rows, { gap: ' ', align: ['right'] });
}

/** Once for each case: why it is in this status, unless a root cause says it. */
const reasons = (run: Run, status: Status, { of }: CauseIndex): string[] =>
  [...run.cases.values()]
    .filter((item) => statusOf(item) === status && of(item.plan.id) === undefined)
    .map((item) => cleanLine(reasonOf(item) ?? '') || 'no reason was given');

/** Once for each case that could not be tried: why, unless the failures say it. */
function notOffered({ causes }: CauseIndex, { failures, warnings }: Attention): string[] {
  const shown = new Set([...failures, ...warnings].map(({ cause }) => cause));
  return causes.flatMap((cause) => (shown.has(cause) ? [] : cause.blocked.map(() => causeLine(cause))));
}

/** Once for each case that violates it: a requirement, with its text. */
function violated(run: Run, weighing: Weighing, { texts }: Manner): string[] {
  const failing = [...run.cases.values()].filter((item) => failsRun(item, weighing));
  return failing
    .flatMap((item) => violatedRequirementsOf(item))
    .map((id) => {
      const text = texts?.requirements?.get(id);
      return cleanLine(text === undefined ? id : `${id}  ${text}`);
    });
}

import type { FrameworkVerdict } from '../../model/framework-verdict.ts';
import { type Run, reasonOf, statusOf } from '../../model/run.ts';
import type { Status } from '../../model/status.ts';
import { failsRun, isExpectedFailure, type Weighing } from '../../verdict/breach.ts';
import { brokenRequirementsOf } from '../../verdict/broken-requirements.ts';
import { causeIndex } from '../../verdict/cause-index.ts';
import { exercised, exercisedText } from '../../verdict/exercised.ts';
import { staleEntries, staleText } from '../../verdict/expectations.ts';
import { frameworkLine, type Verdict } from '../../verdict/verdict.ts';
import { numericLine, numericSummary } from '../numeric-summary.ts';
import { cleanLine, cut } from '../sanitize.ts';
import { causeLines } from './causes.ts';
import type { Paint } from './paint.ts';
import { LISTED, pluginLines } from './plugin.ts';
import { countsText, duration, WORDS } from './words.ts';

/** Options of the summary. */
interface Manner {
  /** All root causes, not only the first. */
  verbose: boolean;
  /** Characters per line; infinite if nothing wraps. */
  width: number;
  paint: Paint;
}

const LABEL = 11;

/** The last lines of a run: counts, plugins, root causes, other reasons why cases did not run, paths of the reports. */
export function summaryLines(run: Run, weighing: Weighing, reports: readonly string[], manner: Manner): string[] {
  const { paint } = manner;
  const { causes, of: causeOf } = causeIndex(run);
  const row = (label: string, text: string): string => `${paint('bold', label.padEnd(LABEL))} ${text}`;
  const time = run.footer ? ` in ${duration(run.footer.durationMs)}` : '';
  const lines = ['', row('cases', `${run.cases.size}${time}: ${countsText(run.counts, paint)}`)];
  if (run.cases.size > 0) lines.push(row('', exercisedText(exercised(run))));
  for (const plugin of run.plugins)
    lines.push(...pluginLines(plugin, paint).map((line, at) => row(at === 0 ? 'plugin' : '', line)));
  const causeTexts = causeLines(run, weighing, causes, { ...manner, width: manner.width - LABEL - 1 });
  for (const [at, line] of causeTexts.entries()) {
    lines.push(row(at === 0 ? 'causes' : '', line));
  }
  for (const framework of run.frameworks) {
    lines.push(...frameworkLines(framework, paint).map((line, at) => row(at === 0 ? 'framework' : '', line)));
  }
  const numerics = numericSummary(run);
  if (numerics && numerics.comparisons > 0) lines.push(row('numerics', cleanLine(numericLine(numerics))));
  lines.push(...table('violated', violatedRequirements(run, weighing), row));
  lines.push(...table('expected', expectedReasons(run, weighing), row));
  for (const [at, entry] of staleEntries(run).entries()) {
    lines.push(row(at === 0 ? 'stale' : '', paint('yellow', cleanLine(staleText(entry)))));
  }
  for (const status of ['unsupported', 'skip', 'notrun'] as const) {
    // Cases with a root cause are covered by it.
    lines.push(
      ...table(
        WORDS[status],
        reasons(run, status, (id) => causeOf(id) === undefined),
        row,
      ),
    );
  }
  for (const [at, report] of reports.entries()) lines.push(row(at === 0 ? 'reports' : '', cleanLine(report)));
  return lines;
}

/** The verdict of a framework release: what the user sees, limits, the compatibility window. */
function frameworkLines(framework: FrameworkVerdict, paint: Paint): string[] {
  const { outcome, message, limits, untried, window } = framework;
  const style = outcome === 'refuses' || outcome === 'aborts' ? 'red' : outcome === 'unknown' ? 'yellow' : 'green';
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

type Counted = [text: string, count: number][];

function table(label: string, counted: Counted, row: (label: string, text: string) => string): string[] {
  const width = String(counted[0]?.[1] ?? 0).length;
  const lines = counted.slice(0, LISTED).map(([text, count]) => `${String(count).padStart(width)} × ${text}`);
  if (counted.length > LISTED) lines.push(`${' '.repeat(width)}   and ${counted.length - LISTED} more`);
  return lines.map((line, at) => row(at === 0 ? label : '', line));
}

const reasons = (run: Run, status: Status, isOpen: (id: string) => boolean): Counted =>
  tally(
    [...run.cases.values()]
      .filter((item) => statusOf(item) === status && isOpen(item.plan.id))
      .map((item) => cleanLine(reasonOf(item) ?? '') || 'no reason was given'),
  );

/** Why failures are expected, and where that is written. */
const expectedReasons = (run: Run, weighing: Weighing): Counted =>
  tally(
    [...run.cases.values()].flatMap(({ plan, result }) =>
      isExpectedFailure(plan, result, weighing)
        ? [cleanLine(`${result!.expectation!.reason} (${result!.expectation!.file}:${result!.expectation!.line})`)]
        : [],
    ),
  );

function violatedRequirements(run: Run, weighing: Weighing): Counted {
  const failing = [...run.cases.values()].filter((item) => failsRun(item.plan, item.result, weighing));
  return tally(failing.flatMap((item) => brokenRequirementsOf(item).map(cleanLine)));
}

function tally(texts: string[]): Counted {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

import { cleanLine } from '../../base/sanitize.ts';
import { padded, shortened, wrapped } from '../../base/text-table.ts';
import { type CaseRun, type Run, reasonOf, type SuiteRun, statusOf, suiteDurationMs } from '../../model/run.ts';
import type { Weighing } from '../../verdict/breach.ts';
import { failsRun, isRed } from '../../verdict/standing.ts';
import { failureText, headline, placeOf } from '../failure-text.ts';
import type { RequirementTexts } from '../format.ts';
import type { Paint, Style } from './paint.ts';
import { countsText, duration, styleOf, WORDS } from './words.ts';

/** One line for a suite: counts and duration. */
export function suiteLine(suite: SuiteRun, weighing: Weighing, width: number, paint: Paint): string {
  const { fail, crash, timeout, flaky, error, warn, notrun, pass } = suite.counts;
  const red = suite.cases.some((item) => failsRun(item, weighing));
  const mark =
    red || error > 0
      ? paint('red', '✗')
      : warn + fail + crash + timeout + flaky > 0
        ? paint('yellow', '!')
        : notrun > 0 || pass === 0
          ? paint('dim', '-')
          : paint('green', '✓');
  const time = paint('dim', `(${duration(suiteDurationMs(suite))})`);
  return `${mark} ${padded(cleanLine(suite.suite), width)}  ${countsText(suite.counts, paint)} ${time}`;
}

interface BlockOptions {
  paint: Paint;
  /** Print the native calls too, and detail and output of what does not fail the run. */
  verbose?: boolean;
  /** Lines that it has at most; default: as many as it needs. */
  lines?: number;
  /** Columns; sentences continue on the next line, tables and commands do not. Default: lines do not end. */
  width?: number;
  texts?: RequirementTexts;
  /** Where the suite is that the log names. */
  onDisk?: (file: string) => string;
}

/**
 * A case that did not pass, on several lines: what failed, where, what is required; then detail and output, as much as there is
 * room for; and the command that runs it again.
 */
export function caseBlock(
  run: Run,
  item: CaseRun,
  weighing: Weighing,
  {
    paint,
    verbose = false,
    lines: limit = Number.POSITIVE_INFINITY,
    width = Number.POSITIVE_INFINITY,
    texts,
    onDisk = (file) => file,
  }: BlockOptions,
): string[] {
  const status = statusOf(item);
  const text = failureText(run, item, texts);
  const failing = isRed(item, weighing);
  const style: Style = failing ? 'red' : 'yellow';
  const lines = [
    `${paint([style, 'bold'], `${failing ? '✗' : '!'} ${label(item)}`)} ${paint('bold', cleanLine(item.plan.id))}`,
  ];
  const message = headline(item);
  const say = (sentence: string): unknown => lines.push(...wrapped(`    ${sentence}`, width));
  if (text.findings.length === 0) {
    if (status !== 'pass') say(message);
    say(paint('dim', placeOf(item, item.plan.line, onDisk)));
    if (text.fatal) say(`stderr: ${text.fatal}`);
  }
  if (text.after) say(text.after);
  const brief = !verbose && !failing;
  for (const finding of text.findings) {
    const facts = [
      placeOf(item, finding.line, onDisk),
      status === 'error' ? '' : [finding.level, ...finding.requirements].join(' '),
      finding.call && `in ${finding.call}`,
    ];
    say(finding.message);
    say(paint('dim', facts.filter(Boolean).join(' · ')));
    if (text.fatal && finding === text.findings[0]) say(`stderr: ${text.fatal}`);
    for (const rule of finding.rules) say(paint('dim', shortened(rule, SENTENCES)));
    if (!brief) lines.push(...finding.detail.map((line) => `      ${line}`));
  }
  if (text.omittedFindings > 0) say(`… ${text.omittedFindings} more findings in events.jsonl`);
  if (text.end && !message.includes(text.end)) say(`process ended: ${text.end}`);
  if (text.attempts) say(text.attempts);
  if (text.expectation) say(paint('yellow', text.expectation));
  if (text.knownDeviation) say(paint('yellow', `known deviation: ${text.knownDeviation}`));
  if (verbose && text.trace) {
    const calls = text.trace.calls.map(
      ({ text: call, durationMs }) => `    ${paint('dim', '|')} ${call}${msText(durationMs)}`,
    );
    lines.push(`    ${paint('dim', `${text.trace.title}:`)}`, ...calls);
  }
  if (!brief && text.stderr.length > 0) {
    lines.push(
      `    ${paint('dim', text.fatal ? 'stderr, the rest:' : 'stderr, last lines:')}`,
      ...text.stderr.map((line) => `    ${paint('dim', '|')} ${line}`),
    );
  }
  const reproduce = `    ${paint('dim', 'reproduce:')} ${paint('cyan', text.reproduce)}`;
  if (lines.length + 1 <= limit) return [...lines, reproduce];
  const shown = Math.max(limit - 2, HEAD);
  return [...lines.slice(0, shown), paint('dim', `    … ${lines.length - shown} more lines with --verbose`), reproduce];
}

/** Lines of a block that are always there: the case, what failed, where. */
const HEAD = 3;
/** Length of the text of a requirement with its source. */
const SENTENCES = 400;

const msText = (ms: number | undefined): string => (ms === undefined ? '' : ` (${ms.toFixed(3)} ms)`);

/** A failure on one line, while the run goes on. */
export const failureLine = (item: CaseRun, paint: Paint): string =>
  `${paint('red', `✗ ${label(item)}`)} ${cleanLine(item.plan.id)}: ${headline(item)}`;

const REMARKS = {
  met: ' (expected)',
  'unexpected-pass': ' (not expected)',
  different: ' (another is expected)',
  expired: ' (no longer expected)',
};

/** `FAIL (known)`. */
function label(item: CaseRun): string {
  const { plan, result } = item;
  const outcome = result?.expectation?.outcome;
  const known = outcome ? REMARKS[outcome] : result?.knownDeviation ? ' (known)' : '';
  const status = statusOf(item) === 'error' ? 'INTERNAL ERROR' : statusOf(item).toUpperCase();
  return `${status}${known}${plan.informative ? ' (outside the gate)' : ''}`;
}

/** One line for a case, for verbose output. */
export function caseLine(item: CaseRun, paint: Paint): string {
  const status = statusOf(item);
  const reason = reasonOf(item);
  const time = item.result ? ` ${paint('dim', `(${duration(item.result.durationMs)})`)}` : '';
  return `  ${paint(styleOf(status), WORDS[status])} ${cleanLine(item.plan.id)}${reason ? paint('dim', `: ${cleanLine(reason)}`) : ''}${time}`;
}

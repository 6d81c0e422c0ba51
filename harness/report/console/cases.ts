import { type CaseRun, fileOf, type Run, reasonOf, type SuiteRun, statusOf, suiteDurationMs } from '../../model/run.ts';
import type { Status } from '../../model/status.ts';
import { failsRun, isRed, type Weighing } from '../../verdict/breach.ts';
import { failureText, headline } from '../failure-text.ts';
import { cleanLine } from '../sanitize.ts';
import type { Paint, Style } from './paint.ts';
import { countsText, duration, STYLES, WORDS } from './words.ts';

/** One line for a suite: counts and duration. */
export function suiteLine(suite: SuiteRun, weighing: Weighing, width: number, paint: Paint): string {
  const { fail, crash, timeout, flaky, error, warn, notrun, pass } = suite.counts;
  const red = suite.cases.some(({ plan, result }) => failsRun(plan, result, weighing));
  const mark =
    red || error > 0
      ? paint('red', '✗')
      : warn + fail + crash + timeout + flaky > 0
        ? paint('yellow', '!')
        : notrun > 0 || pass === 0
          ? paint('dim', '-')
          : paint('green', '✓');
  const time = paint('dim', `(${duration(suiteDurationMs(suite))})`);
  return `${mark} ${cleanLine(suite.suite).padEnd(width)}  ${countsText(suite.counts, paint)} ${time}`;
}

/**
 * A case that did not pass, on several lines. Detail and output are for what fails the run; warnings and accepted deviations
 * have them if `verbose` is set.
 */
export function caseBlock(run: Run, item: CaseRun, weighing: Weighing, verbose: boolean, paint: Paint): string[] {
  const status = statusOf(item);
  const text = failureText(run, item);
  const failing = isRed(item, weighing);
  const style: Style = failing ? 'red' : 'yellow';
  const outside = item.plan.informative ? ' (outside the gate)' : '';
  const remark = {
    met: ' (expected)',
    'unexpected-pass': ' (not expected)',
    different: ' (another is expected)',
    expired: ' (no longer expected)',
  };
  const outcome = item.result?.expectation?.outcome;
  const known = outcome ? remark[outcome] : text.knownDeviation ? ' (known)' : '';
  const label = `${failing ? '✗' : '!'} ${LABELS[status] ?? status}${known}${outside}`;
  const lines = [`${paint([style, 'bold'], label)} ${paint('bold', cleanLine(item.plan.id))}`];
  const message = headline(item);
  if (text.findings.length === 0)
    lines.push(
      ...(status === 'pass' ? [] : [`    ${message}`]),
      `    ${paint('dim', cleanLine(`${fileOf(item)}:${item.plan.line}`))}`,
    );
  const brief = !verbose && !failing;
  for (const finding of text.findings) {
    const facts = [
      finding.place,
      status === 'error' ? '' : [finding.level, ...finding.requirements].join(' '),
      finding.call && `in ${finding.call}`,
    ];
    lines.push(`    ${finding.message}`, `    ${paint('dim', facts.filter(Boolean).join(' · '))}`);
    if (!brief) lines.push(...finding.detail.map((line) => `      ${line}`));
  }
  if (text.omittedFindings > 0) lines.push(`    … ${text.omittedFindings} more findings in events.jsonl`);
  if (text.end && !message.includes(text.end)) lines.push(`    process ended: ${text.end}`);
  if (text.attempts) lines.push(`    ${text.attempts}`);
  if (text.expectation) lines.push(`    ${paint('yellow', text.expectation)}`);
  if (text.knownDeviation) lines.push(`    ${paint('yellow', `known deviation: ${text.knownDeviation}`)}`);
  if (verbose && text.trace) {
    const calls = text.trace.calls.map(
      ({ text: call, durationMs }) => `    ${paint('dim', '|')} ${call}${msText(durationMs)}`,
    );
    lines.push(`    ${paint('dim', `${text.trace.title}:`)}`, ...calls);
  }
  if (!brief && text.stderr.length > 0) {
    lines.push(
      `    ${paint('dim', 'stderr, last lines:')}`,
      ...text.stderr.map((line) => `    ${paint('dim', '|')} ${line}`),
    );
  }
  lines.push(`    ${paint('dim', 'reproduce:')} ${paint('cyan', text.reproduce)}`);
  return lines;
}

const msText = (ms: number | undefined): string => (ms === undefined ? '' : ` (${ms.toFixed(3)} ms)`);

const LABELS: Partial<Record<Status, string>> = {
  pass: 'PASS',
  fail: 'FAIL',
  warn: 'WARN',
  crash: 'CRASH',
  timeout: 'TIMEOUT',
  flaky: 'FLAKY',
  error: 'INTERNAL ERROR',
};

/** One line for a case, for verbose output. */
export function caseLine(item: CaseRun, paint: Paint): string {
  const status = statusOf(item);
  const reason = reasonOf(item);
  const time = item.result ? ` ${paint('dim', `(${duration(item.result.durationMs)})`)}` : '';
  return `  ${paint(STYLES[status], WORDS[status])} ${cleanLine(item.plan.id)}${reason ? paint('dim', `: ${cleanLine(reason)}`) : ''}${time}`;
}

import { cleanLine, cleanText } from '../base/sanitize.ts';
import { type CaseRun, reasonOf, statusOf } from '../model/run.ts';
import { isFailure } from '../model/status.ts';
import { isUnexpectedPass, type Weighing } from '../verdict/breach.ts';
import { type Standing, standingOf } from '../verdict/standing.ts';
import { capturedText } from './captured-text.ts';
import { sharedCause } from './cause-lines.ts';
import { expectationText, failureText, headline, rankedFindings } from './failure-text.ts';
import type { RequirementTexts } from './format.ts';
import { isRed, type Outcome, type OutcomeElement, type Rerun } from './junit-document.ts';
import type { JudgedRun } from './junit-provenance.ts';

/** The element of each standing. Readers show what has none as a pass: its warnings are in the output. */
const ELEMENTS: Readonly<Record<Exclude<Standing, 'failed'>, OutcomeElement | undefined>> = {
  passed: undefined,
  warned: undefined,
  // Shown as a pass with failures on the way.
  flaky: undefined,
  error: 'error',
  expected: 'skipped',
  waived: 'skipped',
  known: 'skipped',
  outside: 'skipped',
  unsupported: 'skipped',
  skipped: 'skipped',
  'not-run': 'skipped',
};

/** The element of a case; cheap, because counts are written before the cases. */
export function outcomeElement(item: CaseRun, weighing: Weighing): OutcomeElement | undefined {
  const standing = standingOf(item, weighing);
  if (standing !== 'failed') return ELEMENTS[standing];
  return ['crash', 'timeout'].includes(statusOf(item)) ? 'error' : 'failure';
}

/** What the texts of a case depend on. */
type Judged = Pick<JudgedRun, 'run' | 'weighing' | 'causes'> & { options?: RequirementTexts };

/** The element of a case with its texts. */
export function outcomeOf(judged: Judged, item: CaseRun): Outcome {
  const { weighing } = judged;
  const cause = sharedCause(judged.causes.of(item.plan.id));
  const { result } = item;
  const element = outcomeElement(item, weighing);
  const standing = standingOf(item, weighing);
  const status = statusOf(item);
  if (isUnexpectedPass(result) && !(status === 'warn' && weighing.strict)) return unexpectedPass(judged, item, element);
  if (status === 'pass') return {};
  const label = { unsupported: 'NOT_SUPPORTED', skip: 'SKIPPED', notrun: 'NOT_RUN' }[status as string];
  if (label) return skipped(label, reasonOf(item), cause);
  const message = headline(item);
  if (standing === 'expected' || standing === 'waived') {
    const { reason, issue } = result!.expectation!;
    return skipped(
      standing === 'waived' ? 'WAIVED' : 'EXPECTED_FAIL',
      [reason, issue].filter(Boolean).join('; '),
      failureBody(judged, item, message),
    );
  }
  if (standing === 'known') {
    const { reason, evidence } = result!.knownDeviation!;
    return skipped('EXPECTED_FAIL', `${reason} (${evidence}): ${message}`, failureBody(judged, item, message));
  }
  const body = failureBody(judged, item, message);
  const reruns = rerunsOf(item, element);
  if (element === undefined) return { out: standing === 'warned' ? `WARNING: ${body}` : body, reruns };
  const streams = { out: capturedText(result?.stdout), err: capturedText(result?.stderr), reruns };
  if (standing === 'outside') return { ...skipped('OUTSIDE_THE_GATE', message), ...streams };
  const type = namespaced(result && rankedFindings(result)[0]?.type, status);
  return { element, type, message, body, ...streams };
}

/** An expected failure did not occur: the entry is stale. */
function unexpectedPass(judged: Judged, item: CaseRun, element: OutcomeElement | undefined): Outcome {
  const { file, line } = item.result!.expectation!;
  const text = expectationText(item.result!)!;
  const message = `passed although it is expected to fail; see ${cleanLine(file)}:${line}`;
  const body = [message, ` ${cleanLine(file)}:${line}`, text].join('\n');
  if (element !== 'failure') {
    const warning = statusOf(item) === 'warn' ? `\nWARNING: ${failureBody(judged, item, headline(item))}` : '';
    return { out: `UNEXPECTED_PASS: ${body}${warning}` };
  }
  return { element, type: 'pjrt.UnexpectedPass', message, body };
}

/** Failed attempts. If the case itself failed, its own element is the first of them. */
function rerunsOf({ result }: CaseRun, element: OutcomeElement | undefined): Rerun[] {
  if (element === 'skipped') return [];
  const violated = (result?.attempts ?? []).filter(({ status }) => isFailure(status));
  const red = isRed(element);
  return violated.slice(red ? 1 : 0).map(({ status, finding, worker }) => ({
    element: red ? 'rerunFailure' : 'flakyFailure',
    message: cleanLine(finding?.message ?? status),
    type: namespaced(finding?.type, status),
    body: [`${status}: ${cleanLine(finding?.message ?? '')}`, cleanText(finding?.detail ?? ''), `worker ${worker}`]
      .filter(Boolean)
      .join('\n'),
  }));
}

// Readers that only show the body still see the message; ` file:line` is what attaches annotations to the suite.
function failureBody({ run, causes, options }: Judged, item: CaseRun, message: string): string {
  const text = failureText(run, item, options);
  const cause = sharedCause(causes.of(item.plan.id));
  const profile = cleanLine(run.header?.profile ?? '');
  const lines: string[] = [message, ...(cause === undefined ? [] : [cause])];
  if (statusOf(item) === 'error')
    lines.push('an internal error of the harness or of the suite; says nothing about the plugin');
  for (const [index, finding] of text.findings.entries()) {
    if (index > 0 || !message.includes(finding.message)) lines.push(`${finding.level}: ${finding.message}`);
    lines.push(` ${finding.place}`);
    const facts = [
      finding.requirements.length > 0 && `requirement: ${finding.requirements.join(', ')}`,
      `level: ${finding.level}`,
      finding.call && `call: ${finding.call}`,
      index === 0 && profile && `profile: ${profile}`,
    ];
    lines.push(facts.filter(Boolean).join('   '), ...finding.rules, ...finding.detail);
  }
  if (text.omittedFindings > 0) lines.push(`… ${text.omittedFindings} more findings in events.jsonl`);
  if (text.end) lines.push(`process: ${text.end}`);
  if (text.fatal) lines.push(`stderr: ${text.fatal}`);
  if (text.after) lines.push(text.after);
  if (text.attempts) lines.push(`attempts: ${text.attempts}`);
  if (text.expectation) lines.push(`expectation: ${text.expectation}`);
  if (text.knownDeviation) lines.push(`known deviation: ${text.knownDeviation}`);
  lines.push(`reproduce: ${text.reproduce}`);
  if (text.trace) lines.push(`${text.trace.title}:`, ...text.trace.calls.map((call) => call.text));
  if (text.stderr.length > 0)
    lines.push(text.fatal ? 'stderr, the rest:' : `stderr (last ${text.stderr.length} lines):`, ...text.stderr);
  return lines.join('\n');
}

function skipped(label: string, reason: string | undefined, more?: string): Outcome {
  const message = `${label}: ${cleanLine(reason ?? '') || 'no reason was given'}`;
  return { element: 'skipped', message, body: more === undefined ? message : `${message}\n${more}` };
}

// Bare words such as `string` or `yaml` make a reader convert the element; a namespaced type never does.
function namespaced(type: string | undefined, status: string): string {
  const name = (cleanLine(type ?? '') || status).replace(/[^\w.-]/g, '_');
  return name.startsWith('pjrt.') ? name : `pjrt.${name}`;
}

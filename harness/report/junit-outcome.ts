import { failsRun, isAcceptedDeviation, type Weighing } from '../verdict/breach.ts';
import { failureText, headline, rankedFindings } from './failure-text.ts';
import { type CaseRun, type Run, reasonOf, statusOf } from './model.ts';
import { capturedText, cleanLine } from './sanitize.ts';

export type OutcomeElement = 'failure' | 'error' | 'skipped';

/** What a `<testcase>` holds besides its name. No element means that it passed. */
export interface Outcome {
  element?: OutcomeElement;
  type?: string;
  message?: string;
  body?: string;
  out?: string;
  err?: string;
}

/** Which element a case gets; cheap, because counts are written before the cases. */
export function outcomeElement(item: CaseRun, weighing: Weighing): OutcomeElement | undefined {
  const status = statusOf(item);
  switch (status) {
    case 'pass':
      return undefined;
    case 'unsupported':
    case 'skip':
    case 'notrun':
      return 'skipped';
    case 'error':
      return 'error';
    default:
      if (isAcceptedDeviation(item.plan, item.result, weighing)) return 'skipped';
      if (failsRun(item.plan, item.result, weighing)) {
        return status === 'crash' || status === 'timeout' ? 'error' : 'failure';
      }
      // A broken SHOULD is a pass with a remark; but a process that died or hung is never shown as a pass.
      return status === 'warn' ? undefined : 'skipped';
  }
}

/** The element of a case with its texts. */
export function outcomeOf(run: Run, item: CaseRun, weighing: Weighing): Outcome {
  const element = outcomeElement(item, weighing);
  const status = statusOf(item);
  if (status === 'pass') return {};
  const label = { unsupported: 'NOT_SUPPORTED', skip: 'SKIPPED', notrun: 'NOT_RUN' }[status as string];
  if (label) return skipped(label, reasonOf(item));
  const message = headline(item);
  const deviation = item.result?.knownDeviation;
  if (isAcceptedDeviation(item.plan, item.result, weighing)) {
    return skipped('EXPECTED_FAIL', `${deviation?.reason} (${deviation?.evidence}): ${message}`);
  }
  const body = failureBody(run, item, message);
  if (element === undefined) return { out: `WARNING: ${body}` };
  const streams = { out: capturedText(item.result?.stdout), err: capturedText(item.result?.stderr) };
  if (element === 'skipped')
    return { ...skipped(item.plan.informative ? 'OUTSIDE_THE_GATE' : 'SHOULD_BROKEN', message), ...streams };
  const type = namespaced(item.result && rankedFindings(item.result)[0]?.type, status);
  return { element, type, message, body, ...streams };
}

// Consumers that show only the body still see the message; ` file:line` is what makes annotations land on the suite.
function failureBody(run: Run, item: CaseRun, message: string): string {
  const text = failureText(run, item);
  const profile = cleanLine(run.header?.profile ?? '');
  const lines: string[] = [message];
  if (statusOf(item) === 'error')
    lines.push('a fault of the harness or of the suite, not a statement about the plugin');
  for (const [index, finding] of text.findings.entries()) {
    if (index > 0 || !message.startsWith(finding.message)) lines.push(`${finding.level}: ${finding.message}`);
    lines.push(` ${finding.place}`);
    const facts = [
      finding.requirements.length > 0 && `requirement: ${finding.requirements.join(', ')}`,
      `level: ${finding.level}`,
      finding.call && `call: ${finding.call}`,
      index === 0 && profile && `profile: ${profile}`,
    ];
    lines.push(facts.filter(Boolean).join('   '), ...finding.detail);
  }
  if (text.omittedFindings > 0) lines.push(`… ${text.omittedFindings} more findings in events.jsonl`);
  if (text.end) lines.push(`process: ${text.end}`);
  if (text.knownDeviation) lines.push(`known deviation: ${text.knownDeviation}`);
  lines.push(`reproduce: ${text.reproduce}`);
  if (text.stderr.length > 0) lines.push(`stderr (last ${text.stderr.length} lines):`, ...text.stderr);
  return lines.join('\n');
}

function skipped(label: string, reason: string | undefined): Outcome {
  const message = `${label}: ${cleanLine(reason ?? '') || 'no reason was given'}`;
  return { element: 'skipped', message, body: message };
}

// Bare words such as `string` or `yaml` make a reader convert the element; a namespaced type never does.
function namespaced(type: string | undefined, status: string): string {
  const name = (cleanLine(type ?? '') || status).replace(/[^\w.-]/g, '_');
  return name.startsWith('pjrt.') ? name : `pjrt.${name}`;
}

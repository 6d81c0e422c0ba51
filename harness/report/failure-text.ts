import { counted } from '../base/counted.ts';
import { cleanLine, cleanText, cut, lastLines } from '../base/sanitize.ts';
import type { CaseResult } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import { type CaseRun, fileOf, type Run, reasonOf } from '../model/run.ts';
import { isFailure } from '../model/status.ts';
import { CUT_SHORT, requirementsOf } from '../verdict/violated-requirements.ts';
import { afterText } from './after-text.ts';
import { capturedText } from './captured-text.ts';
import { fatalText } from './fatal-line.ts';
import type { RequirementTexts } from './format.ts';
import { withSource } from './requirement-source.ts';
import { type TraceText, traceText } from './trace-text.ts';

/** Findings that are shown; the first with its full detail, the others with the beginning of theirs. */
const FINDINGS = 6;
const DETAIL_LINES = 24;
const FURTHER_DETAIL_LINES = 3;
const STDERR_LINES = 20;
const LINE_WIDTH = 300;
const ATTEMPTS = 20;

/** A finding of a case, cleaned, for reports to format. */
interface FindingText {
  message: string;
  line: number | undefined;
  /** `suites/a.yaml:12`. */
  place: string;
  level: 'MUST' | 'SHOULD' | 'info';
  requirements: string[];
  /** What these requirements say, and why: `ERR-1: An error has a message. Source: pjrt_c_api.h …`; not what was said before. */
  rules: string[];
  call?: string;
  /** Tables, hex, expected and actual values; truncated to a readable number of lines. */
  detail: string[];
}

/** Everything about a case that did not pass, cleaned: JUnit bodies and the console use the same text. */
interface FailureText {
  findings: FindingText[];
  /** What the weightiest finding is about, else the case. */
  requirements: string[];
  /** How many further findings only the log has. */
  omittedFindings: number;
  /** `SIGSEGV in PJRT_Buffer_Destroy`, for crashes and timeouts. */
  end?: string;
  knownDeviation?: string;
  /** The expectation of the case, and its location. */
  expectation?: string;
  /** What the case fails after, if it passes alone, and the command with which it does. */
  after?: string;
  /** If a case ran several times: how each attempt ended. */
  attempts?: string;
  reproduce: string;
  trace?: TraceText;
  /** Of a process that ended: the line of stderr that says why, if one does. */
  fatal?: string;
  /** The last lines of stderr; after a fatal one, what follows it first. */
  stderr: string[];
}

/** The most severe findings first: violated MUSTs, then SHOULDs, then the rest, in the order in which they were found. */
export function rankedFindings(result: CaseResult): Finding[] {
  const weight = { must: 0, should: 1, info: 2 };
  return [...result.findings].sort((a, b) => weight[a.level] - weight[b.level]);
}

/** One line for a case that did not pass: its most severe finding, or what is known without one. */
export function headline(item: CaseRun): string {
  const { result } = item;
  if (!result) return cleanLine(reasonOf(item) ?? '');
  const after = afterText(result);
  const [first, ...others] = rankedFindings(result).filter((finding) => finding.level !== 'info');
  if (first)
    return (
      (after === undefined ? '' : `${after}: `) +
      (cleanLine(first.message) || cleanLine(first.type) || result.status) +
      (others.length > 0 ? ` (and ${others.length} more)` : '')
    );
  if (result.reason) return cleanLine(result.reason);
  return cleanLine(`${result.status} ${endOf(result) ?? 'without a finding'}`);
}

export function failureText(run: Run, item: CaseRun, texts: RequirementTexts = {}): FailureText {
  const { result } = item;
  const findings = result ? rankedFindings(result) : [];
  const said = new Set<string>();
  return {
    findings: findings.slice(0, FINDINGS).map((finding, index) => findingText(item, finding, index, texts, said)),
    requirements: requirementsOf(findings[0], item.plan.covers).map(cleanLine),
    omittedFindings: Math.max(0, findings.length - FINDINGS),
    end: result && endOf(result),
    knownDeviation: result && deviationText(result),
    expectation: result && expectationText(result),
    attempts: result && attemptsText(result),
    ...afterFacts(run, item),
    reproduce: reproduceCase(run, item),
    trace: traceText(result?.trace),
    ...stderrOf(result),
  };
}

/** What a process wrote: after a fatal line, what follows it, with the noise before it counted; else the end. */
function stderrOf(result: CaseResult | undefined): Pick<FailureText, 'fatal' | 'stderr'> {
  const text = capturedText(result?.stderr);
  const { fatal, before, after } = fatalText(result && CUT_SHORT.includes(result.status) ? text : '');
  if (fatal.length === 0) return { stderr: lastLines(text, STDERR_LINES, LINE_WIDTH) };
  const noise = before > 0 ? [`… ${counted(before, 'line')} before that`] : [];
  const rest = after.filter((line) => line.trim() !== '');
  const lines = rest.slice(0, STDERR_LINES).map((line) => cut(line, LINE_WIDTH));
  const more = rest.length > lines.length ? [`… ${counted(rest.length - lines.length, 'more line')}`] : [];
  return { fatal: cut(cleanLine(fatal.join(' ')), LINE_WIDTH), stderr: [...noise, ...lines, ...more] };
}

/** The known deviation that explains a result, with its evidence. */
export const deviationText = ({ knownDeviation }: CaseResult): string | undefined =>
  knownDeviation && cleanLine(`${knownDeviation.reason} (${knownDeviation.evidence})`);

/** The expectation of a result, and its location. */
export function expectationText({ expectation, status }: CaseResult): string | undefined {
  if (!expectation) return undefined;
  const { file, line, expect, reason, issue, owner, expires, outcome, waived } = expectation;
  const words = {
    met: waived ? 'waived' : 'as expected',
    'unexpected-pass': `${expect.join(' or ')} was expected`,
    different: `${expect.join(' or ')} was expected, not this ${status}`,
    expired: `was expected until ${expires}`,
  }[outcome];
  const more = [issue, owner && `owner ${owner}`, outcome !== 'expired' && expires && `until ${expires}`];
  return cleanLine([`${words}: ${reason}`, ...more, `(${file}:${line})`].filter(Boolean).join(' · '));
}

/** The attempts at a case, as in `2 of 3 attempts failed: fail, pass, fail`; undefined if there was one. */
export function attemptsText({ attempts }: CaseResult): string | undefined {
  if (!attempts) return undefined;
  const violated = attempts.filter(({ status }) => isFailure(status)).length;
  const ends = attempts.map(({ status, why }) => (why === 'rerun' || why === 'alone' ? `${status} (${why})` : status));
  const shown = ends.length > ATTEMPTS ? [...ends.slice(0, ATTEMPTS), `… ${ends.length - ATTEMPTS} more`] : ends;
  return `${violated} of ${attempts.length} attempts failed: ${shown.join(', ')}`;
}

/** `suites/a.yaml:12`: where a case is, or a line of it. */
export const placeOf = (
  item: CaseRun,
  line: number = item.plan.line,
  onDisk = (file: string): string => file,
): string => cleanLine(`${onDisk(fileOf(item))}:${line}`);

function afterFacts(run: Run, { plan, result }: CaseRun): Pick<FailureText, 'after'> {
  const after = result && afterText(result);
  return after === undefined ? {} : { after: `${after}; alone it passes: ${reproduceCommand(run, plan.id)}` };
}

/** The command that runs a case again; with those that it fails after, in one process. */
export function reproduceCase(run: Run, { plan, result }: CaseRun): string {
  const { cases = [], further } = result?.after ?? {};
  return cases.length === 0 || further !== undefined
    ? reproduceCommand(run, plan.id)
    : [reproduceCommand(run, cases[0]!), ...[...cases.slice(1), plan.id].map(asTest), '--workers 1'].join(' ');
}

const asTest = (id: string): string => `--tests ${shellQuoted(cleanLine(id))}`;

/** The command that runs one case again. */
export const reproduceCommand = (run: Run, id: string): string =>
  cleanLine(`${run.header?.reproduce ?? 'npx pjrt-conformance --tests'} ${shellQuoted(cleanLine(id))}`);

/** A word quoted for a POSIX shell. */
export const shellQuoted = (word: string): string =>
  /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

function findingText(
  item: CaseRun,
  finding: Finding,
  index: number,
  texts: RequirementTexts,
  said: Set<string>,
): FindingText {
  const requirements = requirementsOf(finding, item.plan.covers);
  const news = requirements.filter((id) => !said.has(id) && texts.requirements?.has(id));
  for (const id of news) said.add(id);
  return {
    message: cleanLine(finding.message),
    line: finding.line,
    place: placeOf(item, finding.line),
    level: ({ must: 'MUST', should: 'SHOULD', info: 'info' } as const)[finding.level],
    requirements: requirements.map(cleanLine),
    rules: news.map((id) => cleanLine(`${id}: ${withSource(id, texts)}`)),
    call: callOf(finding),
    detail: limited(finding.detail ?? '', index === 0 ? DETAIL_LINES : FURTHER_DETAIL_LINES),
  };
}

/** The function that is to be looked at, or those of which one is wrong. */
function callOf({ type, call, calls }: Finding): string | undefined {
  const named = call ?? (type === 'pjrt.NullFunction' ? undefined : calls?.join(' or '));
  return named && cleanLine(named);
}

function limited(detail: string, count: number): string[] {
  const text = cleanText(detail).trimEnd();
  if (text === '') return [];
  const lines = text.split('\n').map((line) => cut(line, LINE_WIDTH));
  if (lines.length <= count) return lines;
  return [...lines.slice(0, count), `… ${lines.length - count} more lines in events.jsonl`];
}

function endOf({ signal, exitCode, inFlight }: CaseResult): string | undefined {
  if (!signal && exitCode === undefined && !inFlight) return undefined;
  const how = signal ?? (exitCode === undefined ? undefined : `exit code ${exitCode}`);
  return cleanLine([how, inFlight && `in ${inFlight}`].filter(Boolean).join(' '));
}

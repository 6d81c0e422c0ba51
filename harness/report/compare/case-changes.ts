import { cleanLine } from '../../base/sanitize.ts';
import { type CaseRun, type Run, reasonOf } from '../../model/run.ts';
import type { Status } from '../../model/status.ts';
import type { Weighing } from '../../verdict/breach.ts';
import { failsRun, type Standing, standingOf } from '../../verdict/standing.ts';
import { failureText, headline, placeOf, rankedFindings, reproduceCase } from '../failure-text.ts';
import type { ChangeKind, FoundChange } from './change.ts';
import { type Side, type SideCase, unsteadyText } from './side.ts';

/** Number of cases that changed from one status to another; `none`: the case was not planned. */
export interface Transition {
  old: Status | 'none';
  new: Status | 'none';
  count: number;
}

/** Cases of the new side by result. */
export function* caseChanges(old: Side, now: Side): Generator<FoundChange> {
  const changedSuites = suitesThatChanged(old, now);
  const weighing: Weighing = now.first.header?.options ?? {};
  const compareTexts = haveSameWords(old, now);
  for (const [id, after] of now.cases) {
    const before = old.cases.get(id);
    const kind = before ? kindOf(before, after, compareTexts) : newCaseKind(after, weighing);
    if (!kind) continue;
    const cautions = [
      changedSuites.has(after.worst.suite.suite)
        ? `${after.worst.suite.file} changed: the check may have changed`
        : undefined,
      unsteady('OLD', before),
      unsteady('NEW', after),
    ].filter((text) => text !== undefined);
    yield {
      kind,
      subject: cleanLine(id),
      old: before?.status,
      new: after.status,
      ...caseTexts(now.first, after),
      ...(cautions.length > 0 ? { caution: cautions.join('; ') } : {}),
      ...leniency(after, weighing),
    };
  }
}

/** All pairs of statuses with their number, most frequent first. */
export function transitions(old: Side, now: Side): Transition[] {
  const counts = new Map<string, Transition>();
  for (const id of new Set([...old.cases.keys(), ...now.cases.keys()])) {
    const pair = { old: old.cases.get(id)?.status ?? 'none', new: now.cases.get(id)?.status ?? 'none' } as const;
    const key = `${pair.old} ${pair.new}`;
    const known = counts.get(key);
    if (known) known.count++;
    else counts.set(key, { ...pair, count: 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.old + a.new < b.old + b.new ? -1 : 1));
}

/** Suites whose file changed although both sides ran cases of it. */
export function suitesThatChanged(old: Side, now: Side): Set<string> {
  const hashes = new Map(old.runs.flatMap(({ run }) => run.suites.map((suite) => [suite.suite, suite.sha256])));
  const changed = now.runs.flatMap(({ run }) =>
    run.suites.filter(({ suite, sha256 }) => hashes.has(suite) && hashes.get(suite) !== sha256),
  );
  return new Set(changed.map(({ suite }) => suite));
}

const proven = (status: Status): boolean => status === 'pass' || status === 'warn';
const died = (status: Status): boolean => status === 'crash' || status === 'timeout';
const violated = (status: Status): boolean => status === 'fail' || status === 'flaky' || died(status);

function kindOf(before: SideCase, after: SideCase, compareTexts: boolean): ChangeKind | undefined {
  const [old, now] = [before.status, after.status];
  if (old === now) return sameFailure(before, after, compareTexts) ? undefined : 'changed-failure';
  switch (now) {
    case 'crash':
    case 'timeout':
      return died(old) ? 'changed-failure' : 'new-crash';
    case 'fail':
      // It may have the same defect as when it was flaky, or died.
      return violated(old) ? 'changed-failure' : 'new-failure';
    case 'flaky':
      return violated(old) ? 'changed-failure' : 'new-flaky';
    case 'warn':
      return violated(old) ? 'fixed' : 'new-warning';
    case 'pass':
      return violated(old) || old === 'warn' ? 'fixed' : 'gained';
    default:
      if (proven(old)) return LOST[now];
      return violated(old) ? 'untested-failure' : undefined;
  }
}

const LOST = { unsupported: 'lost-support', skip: 'not-run', notrun: 'not-run', error: 'harness-error' } as const;

/** Only failures are compared: reasons of skipped cases depend on the machine. */
const sameFailure = ({ status, worst }: SideCase, after: SideCase, compareTexts: boolean): boolean =>
  status === 'pass' ||
  status === 'unsupported' ||
  status === 'skip' ||
  status === 'notrun' ||
  (factsOf(worst) === factsOf(after.worst) && (!compareTexts || headline(worst) === headline(after.worst)));

/** What a failure is, apart from the words for it. */
function factsOf({ result }: CaseRun): string {
  const findings = result ? rankedFindings(result).filter(({ level }) => level !== 'info') : [];
  return JSON.stringify([
    findings.map(({ type, level, call, calls, code, requirements }) => ({
      ...{ type, level, call, calls, code, requirements },
    })),
    [result?.signal, result?.exitCode, result?.inFlight],
  ]);
}

/** Messages hold measured values too; another version of the tool may use other words for the same. */
function haveSameWords(...sides: Side[]): boolean {
  const versions = sides.flatMap(({ runs }) => runs.map(({ run }) => run.header?.tool.version));
  return new Set(versions).size === 1;
}

const newCaseKind = ({ worst }: SideCase, weighing: Weighing): ChangeKind =>
  failsRun(worst, weighing) ? 'new-case-fails' : 'new-case';

/** A case that violates something but does not fail the run does not fail the gate either. */
function leniency({ worst }: SideCase, weighing: Weighing): Pick<FoundChange, 'most' | 'exception'> {
  const { expectation, knownDeviation } = worst.result ?? {};
  const expected = `expected: ${cleanLine(expectation?.reason ?? '')}`;
  const exceptions: Partial<Record<Standing, string>> = {
    ...{ expected, waived: expected },
    ...(weighing.acceptKnown ? { known: `accepted: ${cleanLine(knownDeviation?.reason ?? '')}` } : {}),
    ...(weighing.allowFlaky ? { flaky: '--allow-flaky' } : {}),
  };
  const exception = worst.plan.informative ? OUTSIDE : exceptions[standingOf(worst, weighing)];
  return exception === undefined ? {} : { most: 'warn', exception };
}

const OUTSIDE = 'outside the gate of the profile';

function caseTexts(
  run: Run,
  after: SideCase,
): Pick<FoundChange, 'message' | 'detail' | 'place'> & Partial<FoundChange> {
  const item = after.worst;
  if (after.status === 'pass') return { message: 'passes', place: placeOf(item) };
  if (item.result === undefined || item.result.findings.length === 0) {
    return {
      message: cleanLine(reasonOf(item) ?? '') || headline(item),
      place: placeOf(item),
      reproduce: reproduceCase(run, item),
    };
  }
  const text = failureText(run, item);
  const [first] = text.findings;
  const detail = [...(first?.detail ?? [])];
  if (text.fatal) detail.push(`stderr: ${text.fatal}`);
  if (text.stderr.length > 0) detail.push('stderr, last lines:', ...text.stderr.map((line) => `| ${line}`));
  return {
    message: headline(item),
    ...(detail.length > 0 ? { detail } : {}),
    place: first?.place ?? placeOf(item),
    requirements: first?.requirements,
    reproduce: text.reproduce,
  };
}

function unsteady(side: string, sideCase: SideCase | undefined): string | undefined {
  const text = sideCase && unsteadyText(sideCase);
  return text && `varying in ${side}: ${text}`;
}

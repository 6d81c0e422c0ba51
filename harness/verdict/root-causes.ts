import type { CaseResult } from '../model/case-result.ts';
import type { Cause, Finding } from '../model/finding.ts';
import type { InvalidAccess } from '../model/invalid-access.ts';
import { DEFECTS, type LooksLike } from '../model/looks-like.ts';
import type { CaseRun, Run } from '../model/run.ts';
import type { Count, Integer } from '../model/values.ts';
import { breachOf, type Weighing } from './breach.ts';
import { isExcused, isRedStanding, standingOf } from './standing.ts';

/** What several cases have in common that failed or could not be tried. */
export interface RootCause {
  /**
   * death, hang: the process died in `call`, or had to be killed · null: slots are NULL · unimplemented: `call` is not
   * offered · refused: an element type is not supported · absent: not in this version, or a missing extension · error: `call`
   * returned `code` · check: a check failed.
   */
  kind: 'death' | 'hang' | 'null' | 'unimplemented' | 'refused' | 'absent' | 'error' | 'check';
  /** The highest level violated; missing if nothing is violated. */
  level?: 'must' | 'should';
  /** Function of the C API or of an extension. */
  call?: string;
  /** Of `null`, if required slots are NULL: all of them. */
  calls?: string[];
  code?: string;
  signal?: string;
  exitCode?: Integer;
  /** Of `death`: the access to memory that ended the process in the first case. @since log 1.8 */
  access?: InvalidAccess;
  /** Of `death`: it did not happen again when its cases were repeated. @since log 1.8 */
  sporadic?: true;
  /** Its cases fail only after this one, and pass alone. @since log 1.9 */
  after?: string;
  /** Of `refused`. */
  dtype?: string;
  /** First line of the plugin's error message. */
  said?: string;
  /** Of `check`, if results are beyond the bound of an operation: its name in StableHLO. */
  op?: string;
  /** Of `check`, if other arrays differ: the directory of the suites that found it, `buffers`. */
  area?: string;
  /** Of `check`, if the wrong bytes show the defect: what they are instead. */
  looksLike?: LooksLike['kind'];
  /** Of `check`: the type of the finding, and its message in the first case. */
  finding?: { type: string; message: string };
  /** Cases that violate a requirement because of it, in the order of the run. */
  failed: string[];
  /** Of these, how many fail the run. @since log 1.9 */
  failing: Count;
  /** How many only warn, or are outside the gate. @since log 1.9 */
  warning: Count;
  /** How many are known, expected or waived. @since log 1.9 */
  excused: Count;
  /** Cases that are unsupported because of it. */
  blocked: string[];
}

/**
 * Root causes of everything that failed in a run or could not be tried, in the order in which to look at them. Each case that
 * failed or was excused by one thing belongs to exactly one cause.
 */
export function rootCauses(run: Run, weighing: Weighing = run.header?.options ?? {}): RootCause[] {
  const causes = new Map<string, RootCause>();
  const stub = stubTest(run);
  const shown = defectTest(run);
  const into = (key: string, fresh: Omit<RootCause, keyof typeof NO_CASES>): RootCause => {
    const known = causes.get(key);
    if (known) return known;
    const cause = { ...fresh, ...NO_CASES, failed: [], blocked: [] };
    causes.set(key, cause);
    return cause;
  };
  /** Required slots that are NULL: one cause, the table was not filled. */
  let unfilled: RootCause | undefined;
  // Failures come first: cases that are only blocked by them join them.
  for (const item of run.cases.values()) {
    const level = breachOf(item.plan.level, item.result);
    if (level === undefined) continue;
    const { key, ...fresh } = causeOfBreach(item, item.result!, stub, shown);
    const cause = into(key, fresh);
    if (cause.kind === 'null') unfilled = cause;
    // The case that is about the defect is the example.
    const first = run.cases.get(cause.failed[0] ?? '');
    const { looksLike } = cause;
    if (looksLike && first && !isAbout(first, looksLike) && isAbout(item, looksLike))
      cause.failed.unshift(item.plan.id);
    else cause.failed.push(item.plan.id);
    if (level === 'must' || cause.level === undefined) cause.level = level;
    const standing = standingOf(item, weighing);
    cause[isRedStanding(standing) ? 'failing' : isExcused(standing) ? 'excused' : 'warning']++;
  }
  for (const { plan, result } of run.cases.values()) {
    if (result?.status !== 'unsupported' || !result.cause) continue;
    const { key, ...fresh } = causeOfExcuse(result.cause, stub);
    const cause = isOneOf(unfilled, fresh) ? unfilled! : into(key, fresh);
    cause.blocked.push(plan.id);
  }
  return inOrder([...causes.values()]);
}

/** Whether a case of this cause ends in it, so that what it would check later is unknown. A wrong value is found at the end. */
export const endsCases = ({ kind }: Pick<RootCause, 'kind'>): boolean => kind !== 'check';

const NO_CASES = { failed: [] as string[], blocked: [] as string[], failing: 0, warning: 0, excused: 0 };

/** What a cause does to the run: the gravest of what its cases do. */
export type CauseEffect = 'failing' | 'warning' | 'excused' | 'blocked';

export const EFFECTS: readonly CauseEffect[] = ['failing', 'warning', 'excused', 'blocked'];

export const effectOf = (cause: RootCause): CauseEffect =>
  (['failing', 'warning', 'excused'] as const).find((effect) => cause[effect] > 0) ?? 'blocked';

/** Areas of which wrong values may explain those of any other: every value passes through a transfer, every result through an execution. */
const COMMON: readonly (string | undefined)[] = ['buffers', 'execute'];

/** Wrong data of the calls that every program needs come first, then what ends the process, then the rest. */
function urgency({ kind, area, looksLike }: RootCause): number {
  if (looksLike !== undefined) return 0;
  if (COMMON.includes(area)) return COMMON.indexOf(area);
  return kind === 'death' || kind === 'hang' ? COMMON.length : COMMON.length + 1;
}

/**
 * The order in which to look at causes: by what they do to the run, MUSTs before SHOULDs, then by urgency and by number of cases.
 * Cases that end in their cause count twice, because behind it others wait.
 */
function inOrder(causes: RootCause[]): RootCause[] {
  const rank = (cause: RootCause): number => 2 * EFFECTS.indexOf(effectOf(cause)) + (cause.level === 'must' ? 0 : 1);
  const weight = (cause: RootCause): number => (endsCases(cause) ? 2 : 1) * causeSize(cause);
  return causes.sort((a, b) => rank(a) - rank(b) || urgency(a) - urgency(b) || weight(b) - weight(a));
}

/**
 * The cause of one case during a run: cases of one cause have one key. {@link rootCauses} may combine two of these in the
 * end, when all answers of the functions are known.
 */
export function breachCause(run: Run, item: CaseRun): { key: string; cause: RootCause } | undefined {
  const level = breachOf(item.plan.level, item.result);
  if (level === undefined) return undefined;
  const { key, ...fresh } = causeOfBreach(item, item.result!, stubTest(run), defectTest(run));
  return { key, cause: { ...fresh, ...NO_CASES, level, failed: [item.plan.id] } };
}

/** Number of cases that a cause explains. */
export const causeSize = ({ failed, blocked }: RootCause): number => failed.length + blocked.length;

type Keyed = Omit<RootCause, keyof typeof NO_CASES> & { key: string };
type StubTest = (call: string) => boolean;

type DefectTest = (looksLike: LooksLike) => boolean;

/** Programs of which the outputs look alike before that is no defect of their operations. */
const PROGRAMS = 3;

/** Whether what wrong bytes look like is one defect. One operation may well give its operand, or zeros. */
function defectTest(run: Run): DefectTest {
  const programs = new Map<LooksLike['kind'], Set<string | undefined>>();
  for (const { result } of run.cases.values())
    for (const { looksLike } of result?.findings ?? [])
      if (looksLike) programs.set(looksLike.kind, (programs.get(looksLike.kind) ?? new Set()).add(looksLike.program));
  return ({ kind }) => !DEFECTS[kind].ofPrograms || programs.get(kind)!.size >= PROGRAMS;
}

const isAbout = ({ plan }: CaseRun, kind: LooksLike['kind']): boolean =>
  plan.covers.includes(DEFECTS[kind].requirement);

/** Whether a function never worked in this run: then every UNIMPLEMENTED of it has one cause, whatever the message. */
function stubTest(run: Run): StubTest {
  const answers = run.plugins[0]?.answers ?? {};
  return (call) => answers[call] !== undefined && !answers[call].includes('OK');
}

/** What cases fail after is the cause, whatever they find then. */
function causeOfBreach(item: CaseRun, result: CaseResult, stub: StubTest, shown: DefectTest): Keyed {
  const found = causeOfFindings(item, result, stub, shown);
  const [after] = result.after?.cases ?? [];
  return after === undefined ? found : { ...found, key: key('after', after), after };
}

function causeOfFindings({ plan, suite }: CaseRun, result: CaseResult, stub: StubTest, shown: DefectTest): Keyed {
  const finding = weightiest(result.findings);
  if (result.status === 'crash' || result.status === 'timeout') {
    const { inFlight, signal, exitCode, access, sporadic } = result;
    const kind = result.status === 'crash' ? 'death' : 'hang';
    const died = { kind, call: inFlight, signal, exitCode, access, sporadic } as const;
    const found = finding && { type: finding.type, message: finding.message };
    // An overrun is a defect of its own, whatever signal ended the process. A wild address says nothing.
    const overrun = finding?.type === 'pjrt.MemoryOverrun';
    const why = overrun
      ? [finding.type, access?.block, access?.how]
      : [signal ?? exitCode, sporadic, access?.kind === 'wild' ? undefined : access?.kind];
    const where = inFlight ?? (overrun ? 'on a thread of the plugin' : `in no call: ${plan.id}`);
    return { key: key(kind, where, ...why), ...died, finding: found };
  }
  if (finding?.type === 'pjrt.NullFunction') {
    return { key: key('null'), kind: 'null', calls: result.findings.flatMap(({ calls = [] }) => calls) };
  }
  if (finding?.type === 'pjrt.NotOffered' && finding.call) {
    return notOffered({ kind: 'unimplemented', call: finding.call, message: finding.said }, stub);
  }
  if (finding?.code !== undefined && finding.call !== undefined) {
    return errorCause(finding.call, finding.code, finding.said);
  }
  const { type, message, call } = finding ?? { type: 'pjrt.Failure', message: plan.title, call: undefined };
  const { looksLike } = finding ?? {};
  if (looksLike && shown(looksLike)) {
    const { kind } = looksLike;
    return {
      key: key('looks like', kind),
      kind: 'check',
      call: DEFECTS[kind].call,
      looksLike: kind,
      finding: { type, message },
    };
  }
  if (type === 'pjrt.NumericMismatch') return wrongValues(message, operationBeyond(result), suite.suite);
  return { key: key('check', type, call, alike(message)), kind: 'check', call, finding: { type, message } };
}

/**
 * Arrays that differ. One operation is computed by one piece of code, whatever the element type and the data. Otherwise what
 * differs, and how, says nothing about why: one defect of a transfer shows in every array, as other numbers in each.
 */
function wrongValues(message: string, op: string | undefined, suite: string): Keyed {
  const type = 'pjrt.NumericMismatch';
  const where = op === undefined ? { area: suite.split('/')[0]! } : { op };
  return { key: key('check', type, JSON.stringify(where)), kind: 'check', ...where, finding: { type, message } };
}

/** The operation of the first comparison of which an element is beyond the bound; none of those of several operations. */
function operationBeyond({ numerics }: CaseResult): string | undefined {
  const op = numerics?.find(({ mismatches = 0 }) => mismatches > 0)?.op;
  return op === 'program' ? undefined : op;
}

function causeOfExcuse(cause: Cause, stub: StubTest): Keyed {
  const { kind, call, code, message, dtype } = cause;
  switch (kind) {
    case 'null':
      return { key: key('null', call), kind, call };
    case 'unimplemented':
      return notOffered(cause, stub);
    case 'failed':
      return errorCause(call, code ?? 'an error', message);
    case 'refused':
      return { key: key('refused', dtype), kind, call, code, dtype, ...said(message) };
    case 'absent':
      return { key: key('absent', call), kind, call };
  }
}

const isOneOf = (unfilled: RootCause | undefined, { kind, call }: Pick<RootCause, 'kind' | 'call'>): boolean =>
  kind === 'null' && call !== undefined && (unfilled?.calls?.includes(call) ?? false);

/** A missing function or, for one that otherwise works, what it does not support. */
function notOffered({ call, message }: Cause, stub: StubTest): Keyed {
  const words = stub(call) ? undefined : message;
  return { key: key('unimplemented', call, alike(words ?? '')), kind: 'unimplemented', call, ...said(message) };
}

const errorCause = (call: string, code: string, words: string | undefined): Keyed => ({
  ...{ key: key('error', call, code, alike(words ?? '')), kind: 'error', call, code },
  ...said(words),
});

const said = (words: string | undefined): { said?: string } => (words ? { said: words } : {});

const weightiest = (findings: readonly Finding[]): Finding | undefined =>
  findings.find(({ level }) => level === 'must') ?? findings.find(({ level }) => level === 'should');

const key = (...parts: (string | number | boolean | undefined)[]): string => JSON.stringify(parts);

/** Normalizes messages that differ only in numbers, names of types and quoted text, which depend on the case. */
const alike = (message: string): string =>
  message
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\b(?:pred|[subcf]\d+(?:e\d+m\d+\w*)?|bf16)\b/g, 'type')
    .replace(/0x[0-9a-f]+|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi, '#')
    .replace(/#(?:x#|, ?#)+/g, '#');

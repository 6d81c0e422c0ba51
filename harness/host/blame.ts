import type { CallTrace, CaseResult } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import { accessText } from '../model/invalid-access.ts';
import type { BadEnd } from '../model/note-fact.ts';
import { blamedRequirement } from '../suite/blamed-requirement.ts';
import type { Requirements } from '../suite/requirements.ts';
import type { Case } from '../suite/types.ts';
import { weighDeath } from '../suite/weigh.ts';
import { PHASE } from './wire/breadcrumb-layout.ts';
import type { Death } from './worker-process.ts';

/** Signals that a process does not cause itself: another process sent them. */
const FROM_OUTSIDE = new Set<NodeJS.Signals>([
  'SIGKILL',
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
]);

/** Whether something else ended a worker: neither this parent nor, as far as can be seen, its own code. */
export const killedFromOutside = (death: Death): boolean =>
  death.killedFor === undefined && !death.channel && death.signal !== undefined && FROM_OUTSIDE.has(death.signal);

/** What the worker was doing when it died, as the end of a sentence. */
export function lastCallOf(death: Death): { text: string; call: string | undefined } {
  const { crumb } = death;
  if (death.ended?.elsewhere) {
    const during = crumb?.phase === PHASE.call && crumb.call ? `, during ${crumb.call}` : '';
    return { text: `on a thread of the plugin${during}`, call: undefined };
  }
  if (crumb?.inner) {
    const { call, callback } = crumb.inner;
    return { text: `in ${call}, which a callback of ${callback} was calling`, call };
  }
  if (crumb?.closed)
    return { text: crumb.call ? `after ${crumb.call}` : 'before the first native call', call: crumb.call };
  if (crumb?.phase === PHASE.call && crumb.call) return { text: `in ${crumb.call}`, call: crumb.call };
  if (crumb?.phase === PHASE.reading && crumb.call) {
    return { text: `while reading what ${crumb.call} had returned`, call: crumb.call };
  }
  if (crumb?.pending) return { text: `while ${crumb.pending} was running on another thread`, call: crumb.pending };
  return {
    text: `outside any native call${crumb?.call ? ` (the last one was ${crumb.call})` : ''}`,
    call: undefined,
  };
}

/** `died with SIGSEGV`, `exited with code 0, …`: the predicate of a sentence about a process. */
export const howItDied = (death: Death): string =>
  death.signal !== undefined
    ? `died with ${death.signal}`
    : `exited with code ${death.exitCode ?? 'unknown'} on its own,`;

/** How a worker ended that was to exit by a deadline, as facts. */
export const badEndOf = ({ killedFor, signal, exitCode }: Death, deadlineMs: number): BadEnd => {
  if (killedFor !== undefined) return { deadlineMs };
  return { signal, exitCode };
};

const channelText = (channel: NonNullable<Death['channel']>): string =>
  channel === 'closed'
    ? 'the plugin closed descriptors that belong to the harness'
    : `the process sent the harness something that is no message (${channel.noise})`;

/** How a worker ended and where, as one sentence. */
export function endOf(death: Death): string {
  const { text } = lastCallOf(death);
  if (death.fault !== undefined) return `the harness failed ${text}: ${firstLine(death.fault)}`;
  if (death.channel) return `${channelText(death.channel)}, seen ${text}`;
  const access = death.ended?.access && accessText(death.ended.access);
  return `${death.killedFor ?? `the process ${howItDied(death)}`} ${text}${access === undefined ? '' : `: ${access}`}`;
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!;

/** Facts about a plugin whose worker died in a call while it was starting. */
export const stageOf = (call: string | undefined): 'load' | 'initialize' | 'client' =>
  call === undefined || call === 'dlopen' || call === 'GetPjrtApi'
    ? 'load'
    : call === 'PJRT_Plugin_Initialize'
      ? 'initialize'
      : 'client';

/** The requirement that it violates. */
export function requirementOf(death: Death, testCase: Case, all: Requirements): string {
  if (death.channel) return 'HYG-FD-001';
  const { call } = killedFromOutside(death) ? {} : lastCallOf(death);
  const { line, wrong = false } = death.crumb ?? {};
  return blamedRequirement(all, testCase, { call, line, wrong, access: death.ended?.access });
}

const FAULTS = new Set<NodeJS.Signals>(['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT']);

const HINTS: Partial<Record<NodeJS.Signals, string>> = {
  SIGABRT: 'A failed check or an uncaught C++ exception ends a process this way; stderr usually says which.',
  SIGFPE: 'An integer was divided by zero.',
  SIGILL:
    'An instruction that this CPU does not support (was the plugin built for a newer one?), or a trap inserted by the compiler.',
  SIGKILL:
    'No error of the process itself causes this signal: the kernel sends it when memory runs out (see dmesg), or another process calls kill.',
  SIGSYS: 'A system call that a sandbox forbids.',
};

const EXCEPTION_HINT = 'No exception may leave a function of the C API, or a thread: it must become an error.';

/** What a death usually means and what to check next; undefined if it is self-explanatory. */
function hintOf(death: Death): string | undefined {
  if (death.channel)
    return 'A plugin may close, and write to, only descriptors that it has opened. Damaged memory can have the same effect.';
  if (death.signal !== undefined) {
    const idle = FAULTS.has(death.signal) && death.crumb?.phase === PHASE.harness && !death.crumb.pending;
    return idle ? 'No native call was in progress: the likely cause is a thread of the plugin.' : HINTS[death.signal];
  }
  if (death.exitCode === 127) {
    return 'The dynamic loader exits this way if a function cannot be found; with `--binding now` the load fails instead and says which.';
  }
  return 'A plugin must return an error; it must never end the process of its consumer.';
}

/** The last native calls. The one in which the process died or hung is marked; others that did not return have no answer. */
function traceOf(death: Death, end: 'DEATH' | 'HANG'): Pick<CaseResult, 'trace'> {
  const { trace, crumb } = death;
  if (!trace) return {};
  const { call } = lastCallOf(death);
  const isEnd = ({ call: name, answer }: CallTrace['calls'][number]): boolean => name === call && answer === undefined;
  const at = crumb?.closed ? -1 : trace.calls.findLastIndex(isEnd);
  return { trace: { ...trace, calls: trace.calls.map((entry, i) => (i === at ? { ...entry, answer: end } : entry)) } };
}

type DeadResult = Omit<CaseResult, 'stdout' | 'stderr'>;

/** What a case weighs that ends badly, and the requirement that it violates then. */
interface Weighed extends Pick<Case, 'level'> {
  requirement: string;
}

/** Result of the running case of a worker that died. @param end what stands at the call in which it died or hung */
function deadResult(
  death: Death,
  durationMs: number,
  { level, requirement }: Weighed,
  end: 'DEATH' | 'HANG',
  said: Pick<Finding, 'message' | 'detail'>,
): DeadResult {
  const { call } = lastCallOf(death);
  const access = end === 'DEATH' ? death.ended?.access : undefined;
  const finding: Finding = {
    type: end === 'HANG' ? 'pjrt.Timeout' : access?.kind === 'overrun' ? 'pjrt.MemoryOverrun' : 'pjrt.Crash',
    level: weighDeath({ level }),
    ...said,
    call,
    line: death.crumb?.line || undefined,
    requirements: [requirement],
  };
  return {
    status: end === 'DEATH' ? 'crash' : 'timeout',
    findings: [finding],
    durationMs,
    nativeMs: 0,
    calls: death.crumb?.calls ?? 0,
    ...(call ? { inFlight: call } : {}),
    ...(access ? { access } : {}),
    ...traceOf(death, end),
  };
}

/**
 * Result of the running case of a worker that died by itself.
 * @param exception the C++ exception that ended it, in words
 */
export function crashResult(death: Death, durationMs: number, weighed: Weighed, exception?: string): DeadResult {
  const detail = exception === undefined ? hintOf(death) : EXCEPTION_HINT;
  const outside = killedFromOutside(death)
    ? '; it did so twice, the second time while no other worker was running'
    : '';
  const cause = exception === undefined ? '' : ` because of ${exception}`;
  const message = `${endOf({ ...death, killedFor: undefined })}${cause}${outside}`;
  return {
    ...deadResult(death, durationMs, weighed, 'DEATH', { message, detail }),
    ...(death.signal && !death.channel ? { signal: death.signal } : {}),
    exitCode: death.exitCode,
  };
}

/** Result of a case in which the worker itself failed, which says nothing about the plugin. */
export const faultResult = (death: Death, fault: string, durationMs: number): CaseResult => ({
  status: 'error',
  reason: firstLine(fault),
  findings: [{ type: 'pjrt.HarnessError', level: 'must', message: endOf(death), detail: fault }],
  durationMs,
  nativeMs: 0,
  calls: death.crumb?.calls ?? 0,
});

/** Result of a case whose worker was killed at a deadline. @param hint how to allow more time */
export function timeoutResult(death: Death, durationMs: number, weighed: Weighed, hint?: string): DeadResult {
  const message = `${death.killedFor ?? 'a deadline passed'} ${lastCallOf(death).text}`;
  const detail = death.crumb?.inner
    ? 'A callback may call the API. This is a deadlock if the call waits for a lock that the thread of the callback holds.'
    : hint && `If it is slow rather than hanging, ${hint}.`;
  return deadResult(death, durationMs, weighed, 'HANG', { message, detail });
}

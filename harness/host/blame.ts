import type { CallTrace, CaseResult } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import { accessText } from '../model/invalid-access.ts';
import type { BadEnd } from '../model/note-fact.ts';
import { blamedRequirement, levelOfWait } from '../suite/blamed-requirement.ts';
import type { Requirements } from '../suite/requirements.ts';
import type { Case } from '../suite/types.ts';
import { weighDeath } from '../suite/weigh.ts';
import { backtraceText } from './debuggers/backtrace.ts';
import type { MemoryLoss } from './memory-limit.ts';
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
  'SIGSTOP',
]);

/** Whether something else ended a worker: neither this parent nor, as far as can be seen, its own code. */
export const killedFromOutside = (death: Death): boolean =>
  death.killedFor === undefined && !death.channel && death.signal !== undefined && FROM_OUTSIDE.has(death.signal);

/** What the worker was doing when it died, as the end of a sentence. */
export function lastCallOf(death: Death): { text: string; call: string | undefined } {
  const { crumb } = death;
  if (crumb?.damaged) {
    return { text: "in an unknown place: the plugin has damaged the harness's record of its calls", call: undefined };
  }
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
export function howItDied({ memory, signal, exitCode }: Death): string {
  if (memory) return 'was killed by the kernel for want of memory';
  if (signal === 'SIGSTOP') return 'was stopped by a signal and not continued';
  return signal !== undefined ? `died with ${signal}` : `exited with code ${exitCode ?? 'unknown'} on its own,`;
}

/** What is known of a process that was killed for want of memory. */
export const lossText = ({ heldBytes, limitBytes }: MemoryLoss): string =>
  `${heldBytes === undefined ? '' : `it was seen to hold ${inGib(heldBytes)}; `}the limit is ${inGib(limitBytes)}`;

const inGib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** A case is judged that was killed for want of memory, and then was alone: others may have needed the memory, on the whole machine. */
export const tooMuchTogether = (loss: MemoryLoss, { line }: Case): Finding => ({
  type: 'pjrt.OutOfMemory',
  level: 'info',
  message: 'the kernel killed the process for want of memory; the case needed to be run alone',
  detail: `${lossText(loss)}. Fewer workers (--workers 1) need less, unless the plugin leaks.`,
  requirements: ['RES-003'],
  line,
});

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

/** What a case weighs that was killed at a deadline. */
export const levelOfHang = (death: Death, testCase: Case, all: Requirements): Case['level'] =>
  levelOfWait(all, testCase, { call: lastCallOf(death).call, line: death.crumb?.line });

const FAULTS = new Set<NodeJS.Signals>(['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT']);

const HINTS: Partial<Record<NodeJS.Signals, string>> = {
  SIGABRT: 'A failed check or an uncaught C++ exception ends a process this way; stderr usually says which.',
  SIGFPE: 'An integer was divided by zero.',
  SIGILL:
    'An instruction that this CPU does not support (was the plugin built for a newer one?), or a trap inserted by the compiler.',
  SIGKILL:
    'No error of the process itself causes this signal: the kernel sends it when memory runs out (see dmesg), or another process calls kill.',
  SIGSTOP:
    'SIGSTOP, SIGTSTP, SIGTTIN and SIGTTOU stop a process. The harness ended it, because nothing would continue it.',
  SIGSYS: 'A system call that a sandbox forbids.',
};

const EXCEPTION_HINT = 'No exception may leave a function of the C API, or a thread: it must become an error.';

/** What a death usually means and what to check next; undefined if it is self-explanatory. */
function hintOf(death: Death): string | undefined {
  if (death.memory) return `It did so alone: ${lossText(death.memory)}.`;
  if (death.channel)
    return 'A plugin may close, and write to, only descriptors that it has opened. Damaged memory can have the same effect.';
  if (death.signal !== undefined) {
    const { crumb } = death;
    const idle = FAULTS.has(death.signal) && crumb?.phase === PHASE.harness && !crumb.pending && !crumb.damaged;
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

function crashType({ memory, crumb, ended }: Death): string {
  if (memory) return 'pjrt.OutOfMemory';
  return ended?.access?.kind === 'overrun' || crumb?.damaged ? 'pjrt.MemoryOverrun' : 'pjrt.Crash';
}

/** Result of the running case of a worker that died. @param end what stands at the call in which it died or hung */
function deadResult(
  death: Death,
  durationMs: number,
  { level, requirement }: Weighed,
  end: 'DEATH' | 'HANG',
  { message, detail: hint }: Pick<Finding, 'message' | 'detail'>,
): DeadResult {
  const { backtrace } = death;
  const detail = backtrace ? [hint, backtraceText(backtrace)].filter(Boolean).join('\n') : hint;
  const { call } = lastCallOf(death);
  const access = end === 'DEATH' ? death.ended?.access : undefined;
  const finding: Finding = {
    type: end === 'HANG' ? 'pjrt.Timeout' : crashType(death),
    level: weighDeath({ level }),
    message,
    detail,
    call,
    line: death.crumb?.line || undefined,
    requirements: [requirement],
    ...(backtrace ? { backtrace } : {}),
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
 * @param seen the C++ exception that ended it, in words, and the case in which it was shown that the call sends the signal
 */
export function crashResult(
  death: Death,
  durationMs: number,
  weighed: Weighed,
  { exception, confirmedBy }: { exception?: string | undefined; confirmedBy?: string | undefined } = {},
): DeadResult {
  const detail = exception === undefined ? hintOf(death) : EXCEPTION_HINT;
  const again =
    confirmedBy === undefined ? 'it did so twice, the second time' : `it did so in ${confirmedBy} too, also`;
  const outside = killedFromOutside(death) ? `; ${again} while no other worker was running` : '';
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

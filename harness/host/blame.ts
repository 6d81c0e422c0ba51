import type { CaseResult, Finding } from '../report/events.ts';
import { PHASE } from '../wire/breadcrumb-layout.ts';
import type { Death } from './worker-process.ts';

/** Signals that a process does not raise by its own fault: somebody else sent them. */
const FROM_OUTSIDE = new Set<NodeJS.Signals>([
  'SIGKILL',
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
]);

/** Whether a worker was ended by somebody who is neither this parent nor, as far as one can see, its own code. */
export const killedFromOutside = (death: Death): boolean =>
  death.killedFor === undefined && death.signal !== undefined && FROM_OUTSIDE.has(death.signal);

/** What the worker was doing when it died, as the end of a sentence. */
export function whereabouts(death: Death): { text: string; call: string | undefined } {
  const { crumb } = death;
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

const howItDied = (death: Death): string =>
  death.signal !== undefined
    ? `died with ${death.signal}`
    : `exited with code ${death.exitCode ?? 'unknown'}, although nobody asked it to,`;

/** Verdict on the case that was in hand when a worker died by itself. */
export function crashResult(
  death: Death,
  durationMs: number,
  requirements: string[],
  hint?: string,
): Omit<CaseResult, 'stdout' | 'stderr'> {
  const { text, call } = whereabouts(death);
  const outside = killedFromOutside(death) ? '; it did so twice, the second time with no other worker running' : '';
  const message = death.closedChannel
    ? `the plugin closed the harness's own file descriptors ${text}`
    : `the process ${howItDied(death)} ${text}${outside}`;
  const finding: Finding = {
    type: 'pjrt.Crash',
    level: 'must',
    message,
    ...(hint ? { detail: hint } : {}),
    ...(call ? { call } : {}),
    ...(death.crumb?.line ? { line: death.crumb.line } : {}),
    requirements,
  };
  return {
    status: 'crash',
    findings: [finding],
    durationMs,
    nativeMs: 0,
    calls: death.crumb?.calls ?? 0,
    ...(call ? { inFlight: call } : {}),
    ...(death.signal && !death.closedChannel ? { signal: death.signal } : {}),
    ...(death.exitCode === undefined ? {} : { exitCode: death.exitCode }),
  };
}

/** Verdict on a case whose worker was killed because a deadline had passed. */
export function timeoutResult(
  death: Death,
  durationMs: number,
  requirements: string[],
): Omit<CaseResult, 'stdout' | 'stderr'> {
  const { text, call } = whereabouts(death);
  return {
    status: 'timeout',
    findings: [
      {
        type: 'pjrt.Timeout',
        level: 'must',
        message: `${death.killedFor ?? 'a deadline passed'} ${text}`,
        ...(call ? { call } : {}),
        ...(death.crumb?.line ? { line: death.crumb.line } : {}),
        requirements,
      },
    ],
    durationMs,
    nativeMs: 0,
    calls: death.crumb?.calls ?? 0,
    ...(call ? { inFlight: call } : {}),
  };
}

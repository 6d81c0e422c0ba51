import type { Attempt, CaseResult } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import { isFailure, type Status } from '../model/status.ts';

/** How often cases are run. */
export interface Repetition {
  /** Number of runs of every case. */
  repeat: number;
  /** Number of reruns of a failing case, in a worker of its own, until it no longer fails. */
  rerunFailed: number;
}

/** Result of one attempt at a case. */
export interface Try {
  result: CaseResult;
  attempt: Attempt;
}

/** Statuses from best to worst: the result of several attempts is the worst. */
const RANKED: readonly Status[] = [
  'pass',
  'skip',
  'unsupported',
  'warn',
  'fail',
  'timeout',
  'crash',
  'flaky',
  'error',
  'notrun',
];

const passed = (status: Status): boolean => status === 'pass' || status === 'warn';

/** Whether to run a case again, and why. */
export function nextAttempt(
  tries: readonly Try[],
  { repeat, rerunFailed }: Repetition,
  fails: (result: CaseResult) => boolean,
): Attempt['why'] {
  const last = tries.at(-1)!;
  if (last.attempt.status === 'error' || last.attempt.status === 'skip') return undefined;
  if (tries.filter(({ attempt }) => attempt.why !== 'alone').length < repeat) return 'repeat';
  const reruns = tries.filter(({ attempt }) => attempt.why === 'rerun').length;
  return reruns < rerunFailed && tries.every(({ result }) => fails(result)) ? 'rerun' : undefined;
}

/**
 * Combined result of several attempts. Flaky if requirements held in one and were violated in another; otherwise the worst
 * attempt counts. The findings are those of the first of the worst attempts.
 */
export function settled(tries: readonly Try[]): CaseResult {
  const worst = tries.reduce((a, b) => (RANKED.indexOf(b.result.status) > RANKED.indexOf(a.result.status) ? b : a));
  if (tries.length === 1) return worst.result;
  const statuses = tries.map(({ result }) => result.status);
  const flaky = isFailure(worst.result.status) && statuses.some(passed);
  return { ...worst.result, ...(flaky ? { status: 'flaky' } : {}), attempts: tries.map(({ attempt }) => attempt) };
}

/** The record of an attempt. */
export function attemptOf(
  result: CaseResult,
  { worker, atMs, why }: { worker: number; atMs: number; why: Attempt['why'] },
): Attempt {
  const finding = weightiest(result.findings);
  return { status: result.status as Attempt['status'], why, worker, atMs, durationMs: result.durationMs, finding };
}

const weightiest = (findings: readonly Finding[]): Finding | undefined =>
  findings.find(({ level }) => level === 'must') ?? findings.find(({ level }) => level === 'should');

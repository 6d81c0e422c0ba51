import type { CaseResult } from './case-result.ts';
import type { Finding } from './finding.ts';

/** A result with violated SHOULDs that its case is not about; a pass becomes a warning. */
export const warned = <R extends Pick<CaseResult, 'status' | 'findings'>>(result: R, more: readonly Finding[]): R =>
  more.length === 0
    ? result
    : { ...result, status: result.status === 'pass' ? 'warn' : result.status, findings: [...result.findings, ...more] };

/** Whether a case came so far that more can be said about it. */
export const isJudged = ({ status }: Pick<CaseResult, 'status'>): boolean =>
  status === 'pass' || status === 'warn' || status === 'fail';

import type { CaseResult } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import type { CaseRun } from '../model/run.ts';
import type { Status } from '../model/status.ts';
import { breachOf } from './breach.ts';

/**
 * The requirements that a finding is about: those that it names, else those that its case covers. The same for a case that
 * failed without a finding. This rule is here and nowhere else.
 */
export function requirementsOf(finding: Finding | undefined, covers: readonly string[]): readonly string[] {
  const named = finding?.requirements ?? [];
  return named.length > 0 ? named : covers;
}

/** The requirements that findings name: entries of expectations files list these, because only a name distinguishes failures. */
export const namedRequirementsOf = ({ findings }: CaseResult): string[] =>
  findings.filter(({ level }) => level !== 'info').flatMap(({ requirements = [] }) => requirements);

/** The process of such a case ended before it had looked at everything. */
export const CUT_SHORT: readonly Status[] = ['crash', 'timeout'];

/** The requirements of which a result can say something: all that the case covers, unless its process ended before that. */
export function judgedRequirements({ plan, result }: Pick<CaseRun, 'plan' | 'result'>): readonly string[] {
  const named = result && CUT_SHORT.includes(result.status) ? namedRequirementsOf(result) : [];
  return named.length > 0 ? named : plan.covers;
}

/** The requirements that a case violates, without duplicates. */
export function violatedRequirementsOf({ plan, result }: CaseRun): string[] {
  if (!result || breachOf(plan.level, result) === undefined) return [];
  const findings = result.findings.filter(({ level }) => level !== 'info');
  const about: readonly (Finding | undefined)[] = findings.length > 0 ? findings : [undefined];
  return [...new Set(about.flatMap((finding) => requirementsOf(finding, plan.covers)))];
}

import type { Finding } from '../model/finding.ts';
import type { CaseRun } from '../model/run.ts';
import { breachOf } from './breach.ts';

/** The requirements that a finding is about: those that it names, else those that its case covers. */
export const requirementsOf = ({ requirements = [] }: Finding, covers: readonly string[]): readonly string[] =>
  requirements.length > 0 ? requirements : covers;

/** The requirements that a case shows broken, each once; none where it broke nothing. */
export function brokenRequirementsOf({ plan, result }: CaseRun): string[] {
  if (!result || breachOf(plan.level, result) === undefined) return [];
  const findings = result.findings.filter(({ level }) => level !== 'info');
  if (findings.length === 0) return plan.covers;
  return [...new Set(findings.flatMap((finding) => requirementsOf(finding, plan.covers)))];
}

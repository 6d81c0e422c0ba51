import type { Finding } from '../model/finding.ts';
import type { CaseRun } from '../model/run.ts';
import { breachOf } from './breach.ts';

/** The requirements of a finding: those that it names, else those that its case covers. */
export const requirementsOf = ({ requirements = [] }: Finding, covers: readonly string[]): readonly string[] =>
  requirements.length > 0 ? requirements : covers;

/** The requirements that a case violates, without duplicates. */
export function brokenRequirementsOf({ plan, result }: CaseRun): string[] {
  if (!result || breachOf(plan.level, result) === undefined) return [];
  const findings = result.findings.filter(({ level }) => level !== 'info');
  if (findings.length === 0) return plan.covers;
  return [...new Set(findings.flatMap((finding) => requirementsOf(finding, plan.covers)))];
}

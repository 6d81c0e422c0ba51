import { createHash } from 'node:crypto';
import type { CaseResult } from '../model/case-result.ts';
import { type CaseRun, type Run, statusOf } from '../model/run.ts';
import { breachOf } from '../verdict/breach.ts';
import { requirementsOf } from '../verdict/violated-requirements.ts';
import { deviationText, expectationText, headline, reproduceCommand } from './failure-text.ts';

/** A violated requirement, for tools that know files, lines and rules but no test cases. */
export interface Violation {
  item: CaseRun;
  level: 'must' | 'should';
  /** The first violated requirement. */
  requirement: string;
  message: string;
  /** Stable across runs, so that the same defect is not reported twice. */
  fingerprint: string;
  file: string;
  line: number;
  reproduce: string;
  /** Why it needs no attention: it is expected, or a known deviation. */
  excuse?: string;
}

/** Violations found by the cases of a run, in planned order. */
export function* violations(run: Run): Generator<Violation> {
  for (const suite of run.suites) {
    for (const item of suite.cases) {
      const level = breachOf(item.plan.level, item.result);
      if (level === undefined || item.plan.informative) continue;
      const excuse = item.result && excuseOf(item.result);
      const finding = item.result?.findings.find((f) => f.level === level);
      const { covers, id } = item.plan;
      const requirement = requirementsOf(finding, covers)[0] ?? id;
      yield {
        item,
        level,
        requirement,
        message: `${item.plan.id}: ${statusOf(item)}: ${headline(item)}`,
        fingerprint: createHash('sha256').update(`${item.plan.id}\0${requirement}`).digest('hex').slice(0, 32),
        file: suite.file,
        line: finding?.line ?? item.plan.line,
        reproduce: reproduceCommand(run, item.plan.id),
        excuse,
      };
    }
  }
}

// An expectation takes precedence over a deviation of the plugin's manifest.
function excuseOf(result: CaseResult): string | undefined {
  switch (result.expectation?.outcome) {
    case 'met':
      return expectationText(result);
    case 'different':
      return undefined;
    default:
      return deviationText(result);
  }
}

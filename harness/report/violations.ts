import { createHash } from 'node:crypto';
import { type CaseRun, type Run, statusOf } from '../model/run.ts';
import { breachOf } from '../verdict/breach.ts';
import { isExcused, type Standing, standingOf } from '../verdict/standing.ts';
import { requirementsOf } from '../verdict/violated-requirements.ts';
import { deviationText, expectationText, headline, reproduceCase } from './failure-text.ts';

/** A violated requirement, for tools that know files, lines and rules but no test cases. */
export interface Violation {
  item: CaseRun;
  /** `must`: it fails the run, or would if nothing excused it. */
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
      const breach = breachOf(item.plan.level, item.result);
      if (breach === undefined || item.plan.informative) continue;
      const standing = standingOf(item, run.header?.options ?? {});
      const excuse = excuseOf(item, standing);
      const finding = item.result?.findings.find((f) => f.level === breach);
      const { covers, id } = item.plan;
      const requirement = requirementsOf(finding, covers)[0] ?? id;
      yield {
        item,
        level: LEVELS[standing] ?? breach,
        requirement,
        message: `${item.plan.id}: ${statusOf(item)}: ${headline(item)}`,
        fingerprint: createHash('sha256').update(`${item.plan.id}\0${requirement}`).digest('hex').slice(0, 32),
        file: suite.file,
        line: finding?.line ?? item.plan.line,
        reproduce: reproduceCase(run, item),
        excuse,
      };
    }
  }
}

/** How grave violations are whatever the level of what they violate. */
const LEVELS: Partial<Record<Standing, Violation['level']>> = { failed: 'must', flaky: 'should' };

/** Why a violation does not fail the run. */
function excuseOf({ result }: CaseRun, standing: Standing): string | undefined {
  if (!isExcused(standing)) return undefined;
  return standing === 'known' ? deviationText(result!) : expectationText(result!);
}

import type { CaseResult } from '../model/case-result.ts';
import { isJudged, warned } from '../model/warned.ts';
import type { Case } from '../suite/types.ts';

/** As much of a text as shows what it is. */
const EXCERPT = 200;

/**
 * A result with what was written during the case. Text on standard output is a finding of the first case of a run that has
 * some, so that a plugin which prints all the time does not change every result. Cases that harm their process, or have it
 * alone, are not asked, as in worker/session.ts.
 */
export function withOutput(
  run: { printed: boolean },
  { isolation, line }: Case,
  result: CaseResult,
  output: Pick<CaseResult, 'stdout' | 'stderr'>,
): CaseResult {
  const whole = { ...result, ...output };
  if (!output.stdout || run.printed || isolation !== 'worker' || !isJudged(result)) return whole;
  run.printed = true;
  // A case that is about it has said so.
  const requirements = ['HYG-OUT-001'];
  if (result.findings.some((finding) => finding.requirements?.includes(requirements[0]!))) return whole;
  const message = 'the plugin wrote to the standard output of the process';
  const detail = `text: ${output.stdout.head.trim().slice(0, EXCERPT)}`;
  return warned(whole, [{ type: 'pjrt.ProcessChanged', level: 'should', message, detail, requirements, line }]);
}

import type { CaseRun } from '../model/run.ts';
import type { NumberedCause } from '../verdict/cause-index.ts';
import { judgedRequirements } from '../verdict/violated-requirements.ts';
import { causeWithEffect } from './cause-lines.ts';
import { rankedFindings } from './failure-text.ts';
import type { RequirementTexts } from './format.ts';
import type { Property } from './junit-document.ts';
import { mismatchText, needOf } from './numeric-summary.ts';
import { withSource } from './requirement-source.ts';

const LEVELS = { must: 'MUST', should: 'SHOULD', may: 'MAY', opt: 'OPT' } as const;

/**
 * Properties of a case, for readers that keep them: its root cause, the requirements and their texts, the worst numeric
 * deviation, also of a passing case, and the native call of a failure.
 */
export function caseProperties(
  { plan, result }: CaseRun,
  cause: NumberedCause | undefined,
  texts: RequirementTexts,
): Property[] {
  const call = result && (rankedFindings(result)[0]?.call ?? result.inFlight);
  const [worst] = [...(result?.numerics ?? [])].sort((a, b) => ulp(b.maxUlp) - ulp(a.maxUlp) || 0);
  return [
    ...(cause ? [['pjrt.root-cause', `${cause.number}: ${causeWithEffect(cause)}`] as Property] : []),
    ...judgedRequirements({ plan, result }).flatMap((id): Property[] => {
      const spec = withSource(id, texts);
      return [['requirement', id], ...(spec === undefined ? [] : [['spec', `${id}: ${spec}`] as Property])];
    }),
    ['level', LEVELS[plan.level]],
    ['title', plan.title],
    ...(worst ? [['maxUlp', String(ulp(worst.maxUlp))] as Property] : []),
    ...(worst ? [['allowedUlp', String(ulp(worst.allowedUlp))] as Property] : []),
    ...numericNeeds(result),
    ...(call ? [['pjrt.call', call] as Property] : []),
  ];
}

/** The profile that the results need, and mismatches without a distance. */
function numericNeeds(result: CaseRun['result']): Property[] {
  const need = needOf(result);
  const mismatches = (result?.numerics ?? []).map(mismatchText).filter((text) => text !== '');
  return [
    ...(need === undefined ? [] : [['numerics.needs', need] as Property]),
    ...mismatches.map((text): Property => ['numerics.mismatches', text]),
  ];
}

/** JSON has no infinity: the log has null. */
const ulp = (value: number | null): number => value ?? Number.POSITIVE_INFINITY;

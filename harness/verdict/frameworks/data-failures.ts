import { dtype } from '../../knowledge/numerics/dtypes.ts';
import type { CaseResult } from '../../model/case-result.ts';
import type { Finding } from '../../model/finding.ts';
import type { MismatchNumbers } from '../../model/mismatch-numbers.ts';
import type { CaseRun } from '../../model/run.ts';
import { VIOLATING_STATUSES } from '../../model/status.ts';
import { requirementsOf } from '../violated-requirements.ts';
import type { DataFailure } from './plugin-view.ts';

/** Findings that show arrays with other contents than they must have. */
const WRONG_DATA = ['pjrt.NumericMismatch', 'pjrt.InputModified'];

/** The requirements that cases saw violated, by what was wrong. Known deviations and expected failures are left out. */
export function dataFailuresOf(cases: Iterable<CaseRun>): DataFailure[] {
  return [...cases].flatMap(({ plan, result }) => {
    if (!result || !VIOLATING_STATUSES.includes(result.status)) return [];
    if (result.knownDeviation || result.expectation?.outcome === 'met') return [];
    return result.findings
      .filter(({ level }) => level !== 'info')
      .map((finding) => ({
        case: plan.id,
        requirements: requirementsOf(finding, plan.covers),
        how: howOf(finding, result),
        ...(finding.call ? { call: finding.call } : {}),
        ...(finding.code ? { code: finding.code } : {}),
      }));
  });
}

function howOf({ type, code, numbers }: Finding, { status }: CaseResult): DataFailure['how'] {
  if (status === 'crash' || status === 'timeout') return 'died';
  if (WRONG_DATA.includes(type)) return numbers && !isGross(numbers) ? 'inaccurate' : 'wrong';
  return code === undefined ? 'other' : 'refused';
}

/** What even the numerics profile with the widest bounds could not allow: results with fewer right bits. */
const RIGHT_BITS = 4;

/** Whether elements are further from what they should be than a lack of accuracy explains; integers always are. */
function isGross({ dtype: name, distances }: MismatchNumbers): boolean {
  const { kind, float, component } = dtype(name);
  if (kind !== 'float' && kind !== 'complex') return true;
  if (!distances) return false;
  const { within, beyond, noDistance = 0 } = distances;
  const mantissa = (float ?? component?.float)!.mantissa;
  // Bin n has distances up to 2^(n-1).
  const far = beyond.some((count, bin) => count > 0 && bin - 2 >= mantissa - RIGHT_BITS);
  const counted = [...within, ...beyond].reduce((sum, count) => sum + count, noDistance);
  return far || noDistance * 2 > counted;
}

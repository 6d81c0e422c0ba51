/** Whether a deviation in a manifest explains a failure. Pure. */
import type { Deviation } from '../../model/plugin.ts';
import { ANY_CALL } from '../../suite/blamed-requirement.ts';
import type { Outcome } from './outcome.ts';

type Failure = Pick<Outcome & { kind: 'failed' }, 'requirements' | 'call'>;

/** The function that the cases of a deviation are about, where their ids say it. */
const functionOf = ({ cases }: Pick<Deviation, 'cases'>): string | undefined => /\[function=([\w.]+)/.exec(cases)?.[1];

/**
 * It must violate the same requirement, in the call that the deviation names. Any death in a call may violate the one about
 * all calls: a deviation from that which names no call is about the threads of the plugin.
 */
export function explains(
  deviation: Pick<Deviation, 'cases' | 'requirement' | 'call'>,
  { requirements, call }: Failure,
): boolean {
  const { requirement, call: where = functionOf(deviation) } = deviation;
  if (!requirements.includes(requirement)) return false;
  if (call === undefined) return true;
  return where === undefined ? requirement !== ANY_CALL : where === call;
}

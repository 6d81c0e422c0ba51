/** What became of a session. */
import type { CaseResult } from '../../model/case-result.ts';

/** The likeness of sessions in which someone has read other data than there should be. */
export const WRONG_DATA = 'pjrt.NumericMismatch';

export type Outcome =
  | { kind: 'right' }
  /** The plugin does not offer something that it needs. */
  | { kind: 'refused'; reason: string; turn: number | undefined }
  | {
      kind: 'failed';
      /** Failures with the same signature are taken for one. */
      signature: string;
      /** What a part of the session must have in common to fail alike: wrong data is seen by whoever reads first. */
      likeness: string;
      message: string;
      /** `should`: the session goes on after it. */
      level: 'must' | 'should';
      requirements: readonly string[];
      turn: number | undefined;
      call: string | undefined;
      hangs: boolean;
    }
  /** It was not run: the run was interrupted, or the plugin could not be used at all. */
  | { kind: 'none'; reason: string };

/** What a result says of its session; its lines are those of the turns, from 1. */
export function outcomeOf(result: CaseResult): Outcome {
  const { status, reason, findings, signal, inFlight } = result;
  const finding = findings.find(({ level }) => level === 'must') ?? findings[0];
  const line = finding?.line;
  const turn = line === undefined ? undefined : line - 1;
  const message = finding?.message ?? reason ?? status;
  switch (status) {
    case 'pass':
      return { kind: 'right' };
    case 'unsupported':
      return { kind: 'refused', reason: reason ?? message, turn };
    case 'skip':
    case 'notrun':
    case 'error':
      return { kind: 'none', reason: message };
    default: {
      const requirements = finding?.requirements ?? [];
      const what = [status, signal, finding?.type, finding?.call ?? inFlight, finding?.code, ...requirements];
      const signature = what.filter(Boolean).join(' · ');
      const said = finding?.said === undefined ? '' : `: ${finding.said}`;
      return {
        kind: 'failed',
        signature,
        likeness: finding?.type === WRONG_DATA ? WRONG_DATA : signature,
        message: `${message}${said}`,
        level: status === 'warn' ? 'should' : 'must',
        requirements,
        turn,
        call: finding?.call ?? inFlight,
        hangs: status === 'timeout',
      };
    }
  }
}

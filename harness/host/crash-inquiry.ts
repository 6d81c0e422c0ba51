import type { CaseResult } from '../model/case-result.ts';

/** How a repetition of a case ended that had crashed. */
export type Repeat = { end: 'survived' } | { end: 'same call' | 'elsewhere'; result: CaseResult };

/**
 * Whether a crash is repeated, once, to see whether it happens again: an access to memory next to what the plugin was given
 * needs no second look.
 */
export const isOpen = ({ signal, access }: CaseResult): boolean =>
  (signal === 'SIGSEGV' || signal === 'SIGBUS') && access?.kind !== 'overrun';

/**
 * What a crash is after its repetition. In the repetition more is seen, if the plugin handles signals itself. @param general
 * the requirement that is violated if no call need be the cause
 */
export function conclude(crash: CaseResult, repeat: Repeat, general: string): CaseResult {
  if (repeat.end === 'same call') {
    const { findings, access } = crash.access ? crash : repeat.result;
    return { ...crash, findings, ...(access ? { access } : {}) };
  }
  const [first, ...others] = crash.findings;
  const detail = [repeat.end === 'survived' ? NEVER_AGAIN : ELSEWHERE, first!.detail].filter(Boolean).join('\n');
  const finding = { ...first!, detail, requirements: [general] };
  if (repeat.end === 'elsewhere') return { ...crash, findings: [finding, ...others] };
  return { ...crash, sporadic: true, findings: [{ ...finding, message: `sporadic: ${first!.message}` }, ...others] };
}

const ELSEWHERE =
  'When the case was repeated, the process died in a different place: the cause may be a thread of the plugin rather than the call in progress.';
const NEVER_AGAIN =
  'It did not happen again when the case was repeated: the cause may be a race or a thread of the plugin rather than the call in progress.';

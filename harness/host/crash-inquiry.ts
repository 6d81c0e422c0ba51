import type { CapturedText, CaseResult, Finding } from '../report/events.ts';

/**
 * A crash in a native call, while its case is repeated to find out why: without guard pages behind the argument structs,
 * and, where it survives that, with them again.
 */
export interface Crash {
  result: Omit<CaseResult, 'stdout' | 'stderr'>;
  output: { stdout?: CapturedText; stderr?: CapturedText };
  /** Whether the next repetition has guard pages. */
  guard: boolean;
}

/** How a repetition went. */
export type Repeat = 'same call' | 'elsewhere' | 'survived';

/** What a repetition tells of a crash: a result that says so, or that it has to be repeated once more. */
export function conclude(crash: Crash, repeat: Repeat): Crash | { result: Crash['result'] } {
  if (!crash.guard) {
    if (repeat === 'survived') return { ...crash, guard: true };
    return { result: repeat === 'same call' ? crash.result : explained(crash.result, ELSEWHERE) };
  }
  return { result: repeat === 'same call' ? overrun(crash.result) : explained(crash.result, NEVER_AGAIN) };
}

const ELSEWHERE =
  'When the case was repeated, the process died at another place: the call in flight may be innocent, and a thread of the plugin guilty.';
const NEVER_AGAIN =
  'It did not happen again when the case was repeated: a race, or a thread of the plugin; the call in flight may be innocent.';

function overrun(result: Crash['result']): Crash['result'] {
  const [crash, ...others] = result.findings;
  const finding: Finding = {
    ...crash!,
    type: 'pjrt.MemoryOverrun',
    message: `${crash!.message}, which reads or writes past the struct_size of its arguments`,
    detail: 'The case does not crash when readable memory follows the argument structs.',
    requirements: ['ABI-ARGS-002', ...(crash!.requirements ?? [])],
  };
  return { ...result, findings: [finding, ...others] };
}

function explained(result: Crash['result'], hint: string): Crash['result'] {
  const [crash, ...others] = result.findings;
  const detail = [hint, crash!.detail].filter(Boolean).join('\n');
  return { ...result, findings: [{ ...crash!, detail }, ...others] };
}

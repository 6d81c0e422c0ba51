import type { CaseResult } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import type { Guard } from './wire/protocol.ts';

/**
 * An invalid memory access that killed a process. Its case is repeated to find the cause: without any guard pages and, if it
 * survives that, with those after one kind of memory.
 */
export interface Crash {
  result: CaseResult;
  /** Guard pages of the next repetition. */
  guard: Guard;
}

/** Outcome of a repetition. */
export type Repeat = 'same call' | 'elsewhere' | 'survived';

/** The conclusion after a repetition: a result, or the next repetition. */
export function conclude(crash: Crash, repeat: Repeat): Crash | { result: Crash['result'] } {
  const { result, guard } = crash;
  switch (guard) {
    case 'structs':
      if (repeat === 'same call') return { result: overrun(result, STRUCTS) };
      return { ...crash, guard: 'inputs' };
    case 'inputs':
      // Data may be read on another thread at any time, so the death of the process is the evidence, wherever it happens.
      return { result: repeat === 'survived' ? explained(result, NEVER_AGAIN) : overrun(result, INPUTS) };
    default:
      if (repeat === 'survived') return { ...crash, guard: 'structs' };
      return { result: repeat === 'same call' ? result : explained(result, ELSEWHERE) };
  }
}

const ELSEWHERE =
  'When the case was repeated, the process died in a different place: the cause may be a thread of the plugin rather than the call in progress.';
const NEVER_AGAIN =
  'It did not happen again when the case was repeated: the cause may be a race or a thread of the plugin rather than the call in progress.';

interface Overrun {
  said: string;
  detail: string;
  requirements: readonly string[];
}

const STRUCTS: Overrun = {
  said: 'which reads or writes past the struct_size of its arguments',
  detail: 'The case does not crash when readable memory follows the args structs.',
  requirements: ['ABI-ARGS-002'],
};

const INPUTS: Overrun = {
  said: 'because the plugin reads past the end of data passed to a call (host array, dimensions, program or options)',
  detail: 'The case does not crash when readable memory follows this data.',
  requirements: [],
};

function overrun(result: Crash['result'], { said, detail, requirements }: Overrun): Crash['result'] {
  const [crash, ...others] = result.findings;
  const finding: Finding = {
    ...crash!,
    type: 'pjrt.MemoryOverrun',
    message: `${crash!.message}, ${said}`,
    detail,
    requirements: [...requirements, ...(crash!.requirements ?? [])],
  };
  return { ...result, findings: [finding, ...others] };
}

function explained(result: Crash['result'], hint: string): Crash['result'] {
  const [crash, ...others] = result.findings;
  const detail = [hint, crash!.detail].filter(Boolean).join('\n');
  return { ...result, findings: [{ ...crash!, detail }, ...others] };
}

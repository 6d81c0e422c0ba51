import { cleanLine } from '../../base/sanitize.ts';
import type { Backtrace, StackFrame, ThreadStack } from '../../model/backtrace.ts';
import { frameText, isOfHost } from '../stack-frame.ts';
import { type GdbFrame, SIGNAL } from './gdb-stacks.ts';
import type { memoryMap } from './memory-map.ts';

/** Names of templates are of any length. */
const LONGEST_NAME = 200;
const MOST_FRAMES = 40;
const MOST_THREADS = 16;
/** Of a thread in which nothing of the plugin is seen. */
const FEW_FRAMES = 8;

/**
 * The stacks that say why a process ended: of the thread on which a signal has come, or of all threads that are in the plugin.
 * @param stacks of all threads, the first thread first
 * @param died whether a signal ended it
 * @returns undefined if they say nothing
 */
export function backtraceOf(
  stacks: readonly (readonly GdbFrame[])[],
  place: ReturnType<typeof memoryMap>,
  died: boolean,
): Backtrace | undefined {
  const kind = died ? 'died' : 'stood';
  const known = (frames: readonly GdbFrame[]): StackFrame[] => frames.map((frame) => frameOf(frame, place));
  const interrupted = died ? stacks.map(belowSignal).find((frames) => frames.length > 0) : undefined;
  if (interrupted) return { kind, threads: [{ frames: upToPlugin(known(interrupted)) }] };
  const inPlugin = stacks.map(known).filter((frames) => !frames.every((frame) => isOfHost(frame)));
  const threads = withoutRepeats(inPlugin.map((frames) => ({ frames: upToPlugin(frames) })));
  return threads.length === 0 ? undefined : { kind, threads: threads.slice(0, MOST_THREADS) };
}

/** What the last signal has interrupted; nothing if none is being handled. */
const belowSignal = (frames: readonly GdbFrame[]): readonly GdbFrame[] => {
  const at = frames.findIndex((frame) => frame.function === SIGNAL);
  return at < 0 ? [] : frames.slice(at + 1);
};

function frameOf({ address, function: name, file, line }: GdbFrame, place: ReturnType<typeof memoryMap>): StackFrame {
  const short = (text: string): string => cleanLine(text).slice(0, LONGEST_NAME);
  const there = place(address);
  return {
    ...(name === undefined ? {} : { function: short(name) }),
    ...(file === undefined ? {} : { file: cleanLine(file).slice(-LONGEST_NAME) }),
    ...(line === undefined ? {} : { line }),
    ...(there ? { module: cleanLine(there.module), offset: there.offset } : {}),
  };
}

/** Without what called the plugin, which is the same below every call. */
function upToPlugin(frames: readonly StackFrame[]): StackFrame[] {
  const last = frames.findLastIndex((frame) => !isOfHost(frame));
  return frames.slice(0, last < 0 ? FEW_FRAMES : Math.min(last + 1, MOST_FRAMES));
}

/** The threads of a pool wait in the same place. */
function withoutRepeats(threads: readonly ThreadStack[]): ThreadStack[] {
  const byText = new Map<string, ThreadStack>();
  for (const thread of threads) {
    const key = JSON.stringify(thread.frames);
    const same = byText.get(key);
    byText.set(key, same ? { ...same, others: (same.others ?? 0) + 1 } : thread);
  }
  return [...byText.values()];
}

/** The innermost frame that is not of the harness, as a reader wants it. */
export const placeOf = ({ threads }: Backtrace): string | undefined => {
  const frame = threads.flatMap(({ frames }) => frames).find((one) => !isOfHost(one));
  return frame && textOf(frame);
};

/** As a reader wants it, one frame a line, without addresses. */
export const backtraceText = ({ kind, threads }: Backtrace): string =>
  threads
    .flatMap(({ frames, others = 0 }, i) => [headOf(kind, i, others), ...frames.map((frame) => `    ${textOf(frame)}`)])
    .join('\n');

function headOf(kind: Backtrace['kind'], index: number, others: number): string {
  if (kind === 'died') return 'where it died, innermost call first:';
  const more = others === 0 ? '' : `, as ${others === 1 ? 'one other is' : `${others} others are`}`;
  return index === 0 ? `where it stood, innermost call first${more}:` : `another thread${more}:`;
}

/** What has no line in a source has a place in its library, for `addr2line`. */
const textOf = (frame: StackFrame): string =>
  frame.file !== undefined || frame.module === undefined
    ? frameText(frame)
    : frameText(frame).replace(/\)$/, `+${frame.offset})`);

import { counted } from '../../base/counted.ts';
import { cleanLine, cut } from '../../base/sanitize.ts';
import type { Backtrace, StackFrame, ThreadStack } from '../../model/backtrace.ts';
import { frameText, isOfHost } from '../stack-frame.ts';
import { type GdbFrame, MOST_STACK, SIGNAL } from './gdb-stacks.ts';
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
  const known = (stack: readonly GdbFrame[]): Stack => ({
    frames: stack.map((frame) => frameOf(frame, place)),
    isWhole: stack.length < MOST_STACK,
  });
  const interrupted = died
    ? stacks
        .map(known)
        .map(belowSignal)
        .find(({ frames }) => frames.length > 0)
    : undefined;
  if (interrupted) return { kind: 'died', threads: [upToPlugin(interrupted)] };
  const inPlugin = stacks.map(known).filter(({ frames }) => !frames.every((frame) => isOfHost(frame)));
  const threads = withoutRepeats(inPlugin.map(upToPlugin));
  if (threads.length === 0) return undefined;
  const more = threads.slice(MOST_THREADS).reduce((sum, { others = 0 }) => sum + 1 + others, 0);
  return { kind: 'stood', threads: threads.slice(0, MOST_THREADS), ...(more > 0 ? { more } : {}) };
}

/** The stack of a thread as far as gdb wrote it. */
interface Stack {
  frames: readonly StackFrame[];
  /** To its end. */
  isWhole: boolean;
}

/** What the last signal has interrupted; nothing if none is being handled. */
const belowSignal = ({ frames, isWhole }: Stack): Stack => {
  const at = frames.findIndex((frame) => frame.function === SIGNAL);
  return { frames: at < 0 ? [] : frames.slice(at + 1), isWhole };
};

function frameOf({ address, function: name, file, line }: GdbFrame, place: ReturnType<typeof memoryMap>): StackFrame {
  const there = place(address);
  return {
    ...(name === undefined ? {} : { function: cut(cleanLine(name), LONGEST_NAME) }),
    ...(file === undefined ? {} : { file: cleanLine(file).slice(-LONGEST_NAME) }),
    ...(line === undefined ? {} : { line }),
    ...(there ? { module: cleanLine(there.module), offset: there.offset } : {}),
  };
}

/** Without what called the plugin, which is the same below every call. */
function upToPlugin({ frames, isWhole }: Stack): ThreadStack {
  const last = frames.findLastIndex((frame) => !isOfHost(frame));
  const wanted = last < 0 ? frames.length : last + 1;
  const kept = Math.min(wanted, last < 0 ? FEW_FRAMES : MOST_FRAMES);
  return {
    frames: frames.slice(0, kept),
    ...(kept < wanted || (wanted === frames.length && !isWhole) ? { more: true } : {}),
  };
}

/** The threads of a pool wait in the same place. */
function withoutRepeats(threads: readonly ThreadStack[]): ThreadStack[] {
  const byText = new Map<string, ThreadStack>();
  for (const thread of threads) {
    const key = JSON.stringify(thread);
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
export const backtraceText = ({ kind, threads, more = 0 }: Backtrace): string =>
  [
    ...threads.flatMap((thread, i) => [headOf(kind, i, thread.others ?? 0), ...framesText(thread)]),
    ...(more > 0 ? [`and ${counted(more, 'further thread')}`] : []),
  ].join('\n');

const framesText = ({ frames, more }: ThreadStack): string[] =>
  [...frames.map(textOf), ...(more ? ['… and further ones'] : [])].map((line) => `    ${line}`);

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

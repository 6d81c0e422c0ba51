import type { StackFrame } from '../../model/backtrace.ts';
import { frameText, isOfHost } from '../stack-frame.ts';

/** What a sanitizer reported. */
export interface SanitizerReport {
  /** `AddressSanitizer`. */
  tool: string;
  /** `heap-buffer-overflow`, `data race`, `signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'`. */
  what: string;
  /** The frames of all its stacks without those of the sanitizer itself, innermost first. */
  frames: StackFrame[];
  /** Without the legend of its memory. */
  text: string;
}

/** Frames in the form that {@link STACK_FORMAT} asks for. */
const FRAME = /^FRAME\|\d+\|(.*)\|(.*)\|(\d+)\|(.*)\|(0x[0-9a-f]+)?$/;

/** The option by which every sanitizer writes frames in a form that is the same for all. */
export const STACK_FORMAT = "stack_trace_format='FRAME|%n|%f|%s|%l|%m|%o'";

/** Where a report begins. */
const BEGIN: readonly [pattern: RegExp, tool?: string][] = [
  [/^==\d+==\s?ERROR: (\w+Sanitizer): (.*)$/],
  [/^==\d+==\s?WARNING: (\w+Sanitizer): (.*)$/],
  [/^WARNING: (ThreadSanitizer): (.*)$/],
  [/^(?:\S+:\d+:\d+|<unknown>): runtime error: (.*)$/, 'UndefinedBehaviorSanitizer'],
  // Each leak has a stack of its own.
  [/^((?:Direct|Indirect) leak) of \d+ byte.*allocated from:$/, 'LeakSanitizer'],
];
/** What follows the stacks: a picture of the memory, which says nothing to a reader of a report. */
const END = /^(?:Shadow bytes around|SUMMARY: |==\d+==ABORTING|={10,}$)/;
/** Frames of the runtimes themselves: interceptors of libc. */
const OF_RUNTIME = /(?:^|\/)lib(?:asan|lsan|tsan|ubsan)\.so|libclang_rt\./;

/**
 * The reports in what sanitizers have written. A report whose end is missing is returned too.
 * @param name finds the names of a frame that has none
 */
export function sanitizerReports(
  text: string,
  name: (frame: StackFrame) => StackFrame = (frame) => frame,
): SanitizerReport[] {
  const reports: { tool: string; what: string; lines: string[] }[] = [];
  let open: (typeof reports)[number] | undefined;
  for (const line of text.split('\n')) {
    const begin = beginOf(line);
    if (begin) {
      open = { ...begin, lines: [line] };
      reports.push(open);
    } else if (END.test(line)) open = undefined;
    else open?.lines.push(line);
  }
  const hasDirect = reports.some(isDirectLeak);
  return reports.flatMap(({ tool, what, lines }) => {
    // The head of a list of leaks, and what was lost with what only it points to.
    if (tool === 'LeakSanitizer' && what.startsWith('detected ')) return [];
    if (hasDirect && what === 'Indirect leak') return [];
    return [
      {
        tool,
        what,
        frames: framesOf(lines, name),
        text: textOf(lines, name),
      },
    ];
  });
}

const isDirectLeak = ({ what }: Pick<SanitizerReport, 'what'>): boolean => what === 'Direct leak';

function beginOf(line: string): { tool: string; what: string } | undefined {
  for (const [pattern, named] of BEGIN) {
    const [, first, second] = pattern.exec(line) ?? [];
    if (first !== undefined)
      return named === undefined
        ? { tool: first, what: kindOf(second!) }
        : { tool: named, what: first.replace(/ 0x[0-9a-f]+/g, '') };
  }
  return undefined;
}

/** `heap-buffer-overflow on address 0x… at pc …`: what differs from run to run is left out. */
const kindOf = (text: string): string =>
  text
    .replace(/^attempting /, '')
    .replace(/\s+(?:on (?:unknown )?address|on 0x|in thread|\(pid=|at 0x).*$/, '')
    .trim();

const framesOf = (lines: readonly string[], name: (frame: StackFrame) => StackFrame): StackFrame[] =>
  lines
    .filter((line) => FRAME.test(line))
    .map((line) => name(frameOf(line)))
    .filter(({ module }) => !OF_RUNTIME.test(module ?? ''));

const known = (text: string | undefined): string | undefined =>
  text === undefined || text === '' || text.startsWith('<') ? undefined : text;

function frameOf(line: string): StackFrame {
  const [, name, file, number, module, offset] = FRAME.exec(line)!;
  return {
    function: known(name),
    file: known(file),
    ...(known(file) && Number(number) > 0 ? { line: Number(number) } : {}),
    module: known(module),
    ...(known(module) && offset !== undefined ? { offset } : {}),
  };
}

/** As a reader wants it: without addresses, and without the frames of Node.js, which are the same below every call. */
const textOf = (lines: readonly string[], name: (frame: StackFrame) => StackFrame): string =>
  lines
    .flatMap((line) => {
      if (!FRAME.test(line)) return line.replace(/0x[0-9a-f]+/g, '0x…');
      const frame = name(frameOf(line));
      return isOfHost(frame) ? [] : `    ${frameText(frame)}`;
    })
    .join('\n')
    .trim();

/**
 * The innermost frame of a plugin, or of a library that it has brought along; undefined if a report has none: then it is about
 * Node.js and its parts, which were not built for sanitizers.
 */
export const frameOfPlugin = ({ frames }: Pick<SanitizerReport, 'frames'>): StackFrame | undefined =>
  frames.find((frame) => !isOfHost(frame));

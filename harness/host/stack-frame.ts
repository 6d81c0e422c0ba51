import type { StackFrame } from '../model/backtrace.ts';

/** `heap_overflow (plugin.c:17)`. */
export function frameText({ function: name, file, line, module }: StackFrame): string {
  const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  const place = file !== undefined ? `${base(file)}${line === undefined ? '' : `:${line}`}` : module && base(module);
  return `${name ?? 'a function without a name'}${place ? ` (${place})` : ''}`;
}

/** Files of a process that are not the plugin's: Node.js and its native parts, the C and C++ libraries, a Python. */
const OF_HOST =
  /\.node$|\/recorder-[\w-]+\.so$|(?:^|\/)(?:ld-[\w.-]+|lib(?:c|m|dl|rt|pthread|stdc\+\+|gcc_s|c\+\+\w*|unwind|python[\w.]*)[-\w.]*\.so[\d.]*)$/;

/** Whether a frame is of what runs every plugin, or of nothing that is known. */
export const isOfHost = ({ module }: StackFrame, program = process.execPath): boolean =>
  module === undefined || module === program || OF_HOST.test(module);

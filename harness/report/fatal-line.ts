/** With what libraries announce that they end the process: the first words of such a line, or all of it. */
const FATAL: readonly RegExp[] = [
  // absl and glog.
  /^F\d{4} \d\d:\d\d:\d\d/,
  /^F0000 00:00:\d/,
  /^terminate called/,
  /^libc\+\+abi: terminating/,
  // assert() of glibc, musl and macOS.
  /: Assertion [`'"].* failed\.?$/,
  /^Assertion failed: /,
  /^==\d+==\s?ERROR: \w+Sanitizer: /,
  /: runtime error: /,
  /^WARNING: ThreadSanitizer: /,
  // glibc about its heap and its stack.
  /^(?:free|malloc|realloc|munmap_chunk|corrupted|double free|malloc_consolidate)\b.*(?:\(\)|corruption|invalid|corrupted)/,
  /^\*\*\* (?:stack smashing|buffer overflow) detected/,
  /^\*\*\* SIG[A-Z]+ received/,
  /^LLVM ERROR: /,
  /^Fatal Python error: /,
  /^thread '.*' panicked at /,
  /^(?:fatal error|FATAL|Fatal): /,
];

/** Lines of a stack trace, and what announces one. */
const TRACE = /^\s*(?:@|#\d+)\s|^\*\*\* .* \*\*\*$|^\s*$/;

/** What follows such a line and belongs to it: the message of a C++ exception. */
const MORE = /^\s+what\(\): /;

/** A text that a process wrote before it ended, by how much it says. */
export interface FatalText {
  /** The line that says why, and its continuation; empty if none is known. */
  fatal: string[];
  /** Number of lines before it. */
  before: number;
  /** All lines after it; all lines if there is none. */
  after: string[];
}

/** Finds the line with which a process ended itself: the first such line, because further ones follow from it. */
export function fatalText(text: string): FatalText {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => FATAL.some((pattern) => pattern.test(line)));
  if (at === -1) return { fatal: [], before: 0, after: lines };
  const length = MORE.test(lines[at + 1] ?? '') ? 2 : 1;
  return {
    fatal: lines.slice(at, at + length).map((line) => line.trim()),
    before: at,
    after: lines.slice(at + length),
  };
}

/** The line that says why a process ended: a fatal one, else the last that it wrote before its stack trace. */
export const lastWords = (text: string): string | undefined => {
  const { fatal, after } = fatalText(text);
  return fatal.length > 0 ? fatal.join(' ') : after.findLast((line) => !TRACE.test(line))?.trim();
};

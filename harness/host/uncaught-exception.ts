import type { CapturedText } from '../model/case-result.ts';

/** What the C++ libraries (libstdc++, libc++) print before they end a process because of an exception. */
const LINES = [
  /terminate called after throwing an instance of '([^'\n]+)'(?:\n\s*what\(\):\s*([^\n]*))?/,
  /libc\+\+abi: terminating (?:due to|with) uncaught exception of type ((?:[^\s:]|::)+)(?:: ([^\n]*))?/,
];

/**
 * The C++ exception that ended a process, in words. Only stderr shows it, because the unwinder finds no frame that catches it and
 * aborts: it has left a function of the C API, or a thread of the plugin.
 */
export function uncaughtException(stderr: CapturedText | undefined): string | undefined {
  const text = stderr ? `${stderr.head}${stderr.tail}` : '';
  for (const pattern of LINES) {
    const [, type, what] = pattern.exec(text) ?? [];
    // The standard library's own exceptions say no more than their name.
    const more = what && what !== type ? `: ${what}` : '';
    if (type !== undefined) return `a C++ exception that nothing caught: ${type}${more}`;
  }
  return undefined;
}

/** Lines of a stack trace, and what announces one. */
const TRACE = /^\s*(?:@|#\d+)\s|^\*\*\* .* \*\*\*$|^\s*$/;

/** The last line that a process wrote before its stack trace, if it wrote one; what it says is usually why it ended. */
export const finalLine = (stderr: string): string | undefined =>
  stderr
    .split('\n')
    .findLast((line) => !TRACE.test(line))
    ?.trim();

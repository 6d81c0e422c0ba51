/** Line ends shown as `\n` and `\r`: what a message quotes of a file must not look like a line of the message. */
export const visibleLineEnds = (text: string): string =>
  text.replace(/[\r\n]/g, (end) => (end === '\n' ? '\\n' : '\\r'));

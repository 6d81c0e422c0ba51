/** Shows line ends as ` ` and `\r`: text quoted from a file must not look like a line of the message. */
export const visibleLineEnds = (text: string): string =>
  text.replace(/[\r\n]/g, (end) => (end === '\n' ? '\\n' : '\\r'));

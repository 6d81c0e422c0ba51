/**
 * The lines of a case in the text of its suite: from its `-` to the next entry of the list, indented as little as possible.
 * @param line 1-based number of its first line
 * @returns undefined if no entry of a list begins there, as in a suite in flow style
 */
export function caseText(text: string, line: number): string | undefined {
  const lines = text.split(/\r?\n/);
  const dash = lines[line - 1]?.match(/^( *)- /)?.[1]?.length;
  if (dash === undefined) return undefined;
  const after = lines.slice(line).findIndex((next) => next.trim() !== '' && indentOf(next) <= dash);
  const own = lines.slice(line - 1, after === -1 ? undefined : line + after);
  while (own.at(-1)?.trim() === '') own.pop();
  return own.map((one) => one.slice(dash)).join('\n');
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

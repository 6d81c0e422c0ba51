/**
 * Offset of the first error of a text that is not JSON (RFC 8259), or undefined. The YAML parser gives values and positions
 * but accepts more than JSON, and JSON.parse does not report where it stopped.
 */
export const jsonErrorOffset = (text: string): number | undefined => {
  const token =
    /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;
  let at = 0;
  const next = (): { text: string; kind: 'mark' | 'string' | 'literal'; start: number } | undefined => {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) return undefined;
    at = token.lastIndex;
    const kind = match[1] !== undefined ? 'mark' : match[2] !== undefined ? 'string' : 'literal';
    const value = match[0].trimStart();
    return { text: value, kind, start: at - value.length };
  };
  const skipSpace = (offset: number): number => {
    while (/[ \t\r\n]/.test(text[offset] ?? '')) offset += 1;
    return offset;
  };
  const open: ('{' | '[')[] = [];
  let expecting: 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing' = 'value';
  const afterValue = (): typeof expecting => (open.length === 0 ? 'nothing' : 'comma-or-end');

  while (skipSpace(at) < text.length) {
    const here = skipSpace(at);
    const found = next();
    if (found === undefined) return here;
    const { text: mark, kind } = found;
    const container = open.at(-1);
    const wantsValue = expecting === 'value' || expecting === 'value-or-end';
    if (wantsValue && kind !== 'mark') expecting = afterValue();
    else if (wantsValue && (mark === '{' || mark === '[')) {
      open.push(mark);
      expecting = mark === '{' ? 'key-or-end' : 'value-or-end';
    } else if (expecting === 'value-or-end' && mark === ']') {
      open.pop();
      expecting = afterValue();
    } else if ((expecting === 'key' || expecting === 'key-or-end') && kind === 'string') expecting = 'colon';
    else if (expecting === 'colon' && mark === ':') expecting = 'value';
    else if (expecting === 'comma-or-end' && mark === ',') expecting = container === '{' ? 'key' : 'value';
    else if (
      (expecting === 'comma-or-end' && mark === (container === '{' ? '}' : ']')) ||
      (expecting === 'key-or-end' && mark === '}')
    ) {
      open.pop();
      expecting = afterValue();
    } else return found.start;
  }
  return expecting === 'nothing' ? undefined : text.length;
};

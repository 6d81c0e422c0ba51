/** JSON with one row of a list per line: small, and a change shows as the lines it changes. */
export function tableText(value: unknown): string {
  return `${write(value, '')}\n`;
}

function write(value: unknown, indent: string): string {
  const inner = `${indent} `;
  if (isLeaf(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[\n${value.map((v) => inner + write(v, inner)).join(',\n')}\n${indent}]`;
  const entries = Object.entries(value as object).map(([k, v]) => `${inner}${JSON.stringify(k)}: ${write(v, inner)}`);
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

function isLeaf(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return true;
  const children = Object.values(value);
  if (Array.isArray(value)) return children.every((v) => v === null || typeof v !== 'object');
  return (
    children.length < 9 &&
    children.every((v) => v === null || typeof v !== 'object' || (Array.isArray(v) && isLeaf(v) && v.length < 12))
  );
}

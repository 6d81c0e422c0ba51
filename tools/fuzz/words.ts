import { readFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';

/** Names in a schema: members, and enumerated values. */
export interface Words {
  keys: readonly string[];
  values: readonly string[];
}

/** The names in a schema of the package. */
export function wordsOf(schema: string): Words {
  const keys = new Set<string>();
  const values = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { properties, enum: words, const: word } = node as Record<string, unknown>;
    for (const key of Object.keys(properties ?? {})) keys.add(key);
    for (const value of [...(Array.isArray(words) ? words : []), word])
      if (typeof value === 'string') values.add(value);
    Object.values(node).forEach(visit);
  };
  visit(JSON.parse(readFileSync(packagePath('schemas', schema), 'utf8')));
  return { keys: [...keys], values: [...values] };
}

import { readFileSync } from 'node:fs';
import { packagePath } from '../../harness/paths.ts';

/** What a schema knows: names of members, and words that values may be. */
export interface Words {
  keys: readonly string[];
  values: readonly string[];
}

/** The words of a schema of the package. */
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

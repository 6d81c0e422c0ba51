import type { Comparison } from './compare.ts';

/** Version of schemas/comparison.schema.json. */
const COMPARISON_VERSION = '1.0';

/** The comparison as JSON (schemas/comparison.schema.json). */
export function writeJson(comparison: Comparison, write: (chunk: string) => void): void {
  write(`${JSON.stringify({ version: COMPARISON_VERSION, ...comparison }, null, 2)}\n`);
}

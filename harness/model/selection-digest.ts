import { createHash } from 'node:crypto';

/** Which cases are selected, as the header of a sharded run says it: SHA-256 of the ids, sorted, one a line. */
export function selectionDigest(ids: readonly string[]): string {
  const lines = ids.toSorted().map((id) => `${id}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

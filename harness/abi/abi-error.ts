import { closest, distance } from 'fastest-levenshtein';

/** A question about the C API that its tables cannot answer: an unknown name, a version before the first table. */
export class AbiError extends Error {
  override name = 'AbiError';
}

/** Something that other versions of the C API have, and this one has not: not a mistake of whoever asks. */
export class NotInVersionError extends AbiError {
  override name = 'NotInVersionError';
}

/** `; did you mean X?` when one of the candidates is close to the name, an empty string otherwise. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const list = [...candidates];
  if (list.length === 0) return '';
  const best = closest(name, list);
  return distance(name, best) <= Math.max(2, name.length / 3) ? `; did you mean ${best}?` : '';
}

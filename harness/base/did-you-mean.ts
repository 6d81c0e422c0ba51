import { distance } from 'fastest-levenshtein';

/** The candidate closest to a misspelt word, if it is close enough. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const lower = word.toLowerCase();
  let best: string | undefined;
  // A third of the letters may be wrong; two swapped ones count as two.
  let bestDistance = (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const d = distance(lower, candidate.toLowerCase());
    if (d < bestDistance) [best, bestDistance] = [candidate, d];
  }
  return best;
}

/** `did you mean "put"?`, or undefined if nothing is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const found = closest(word, candidates);
  return found === undefined ? undefined : `did you mean ${JSON.stringify(found)}?`;
}

/** The same as the end of a message: `; did you mean "put"?`, or nothing. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const hint = didYouMean(word, candidates);
  return hint === undefined ? '' : `; ${hint}`;
}

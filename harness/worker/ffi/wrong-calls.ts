/** How many are in progress, and how many the case has begun. */
let counts: Uint32Array = new Uint32Array(2);

/** Counts wrong calls in two words of memory that the parent reads. */
export function shareWrongCalls(words: Uint32Array): void {
  counts = words;
}

/** A call begins that the plugin must refuse: if the process dies in it, that is what it did not do. */
export function beginWrongCall(): void {
  counts[0]!++;
  counts[1]!++;
}

/** It has returned. */
export function endWrongCall(): void {
  counts[0]!--;
}

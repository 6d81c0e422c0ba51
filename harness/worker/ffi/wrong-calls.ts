let inProgress: Uint32Array = new Uint32Array(1);

/** Counts wrong calls in memory that the parent reads when the process has died. */
export function shareWrongCalls(word: Uint32Array): void {
  inProgress = word;
}

/** A call begins that the plugin must refuse: if the process dies in it, that is what it did not do. */
export function beginWrongCall(): void {
  inProgress[0]!++;
}

/** It has returned. */
export function endWrongCall(): void {
  inProgress[0]!--;
}

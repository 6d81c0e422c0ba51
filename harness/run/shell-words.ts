/** Quotes words for a shell. */
export const shellWords = (words: readonly string[]): string =>
  words.map((w) => (/^[\w@%+=:,./~-]+$/.test(w) ? w : `'${w.replaceAll("'", `'\\''`)}'`)).join(' ');

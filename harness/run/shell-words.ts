/** Words as one would type them in a shell. */
export const shellWords = (words: readonly string[]): string =>
  words.map((w) => (/^[\w@%+=:,./~-]+$/.test(w) ? w : `'${w.replaceAll("'", `'\\''`)}'`)).join(' ');

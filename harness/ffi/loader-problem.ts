/** Why the loader of the system refuses a library, where its message says so. */
export type LoaderProblem = 'missing-library' | 'missing-version' | 'undefined-symbol';

/** What glibc says of each. */
const MESSAGES: readonly [LoaderProblem, RegExp][] = [
  ['undefined-symbol', /undefined symbol/],
  ['missing-version', /version `[^']*' not found/],
  ['missing-library', /: cannot open shared object file/],
];

/** Reads the message of dlerror, the only account that the loader gives: nothing after this looks at the text. */
export const loaderProblem = (dlerror: string): LoaderProblem | undefined =>
  MESSAGES.find(([, pattern]) => pattern.test(dlerror))?.[0];

import { c } from './libc.ts';

/** Why the loader of the system refuses a library, where its message says so. */
type LoaderProblem = 'missing-library' | 'missing-version' | 'undefined-symbol';

/** What glibc says of each. */
const MESSAGES: readonly [LoaderProblem, RegExp][] = [
  ['undefined-symbol', /undefined symbol/],
  ['missing-version', /version `[^']*' not found/],
  ['missing-library', /: cannot open shared object file/],
];

/** Reads the message of dlerror, the only account that the loader gives: nothing after this looks at the text. */
const loaderProblem = (dlerror: string): LoaderProblem | undefined =>
  MESSAGES.find(([, pattern]) => pattern.test(dlerror))?.[0];

/** dlopen or dlsym failed; the message is the loader's. */
export class LibraryError extends Error {
  override name = 'LibraryError';
  readonly problem: LoaderProblem | 'needs-python' | undefined;

  constructor(message: string, problem?: 'needs-python') {
    super(message);
    this.problem = problem ?? loaderProblem(message);
  }
}

const RTLD = process.platform === 'darwin' ? { lazy: 1, now: 2, local: 4 } : { lazy: 1, now: 2, local: 0 };

/** A mapped shared library. Never unloaded: plugins register things in the process that outlive any handle. */
interface Library {
  path: string;
  handle: bigint;
  /** Address of an exported symbol, or undefined. */
  symbol(name: string): bigint | undefined;
}

const open = new Map<string, Library>();

/**
 * Maps a shared library with RTLD_LOCAL.
 * @param binding `now` resolves every symbol at once; `lazy` as XLA does.
 * @throws LibraryError with the loader's message
 */
export function openLibrary(path: string, binding: 'now' | 'lazy'): Library {
  const known = open.get(path);
  if (known) return known;
  c.dlerror();
  const handle = c.dlopen(path, (binding === 'now' ? RTLD.now : RTLD.lazy) | RTLD.local);
  if (!handle) throw new LibraryError(c.dlerror() ?? `dlopen of ${path} failed without a message`);
  const library: Library = { path, handle, symbol: (name) => c.dlsym(handle, name) ?? undefined };
  open.set(path, library);
  return library;
}

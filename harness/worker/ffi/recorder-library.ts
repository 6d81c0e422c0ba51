import { existsSync } from 'node:fs';
import { c } from './libc.ts';
import { recorderFile } from './recorder-file.ts';

const RTLD_NOW = 2;

/**
 * Loads the native code of the package; null where it has none for this system.
 * @throws if it has, and the loader refuses it: without it, cases would quietly show less
 */
export function recorderLibrary(file = recorderFile()): bigint | null {
  if (!existsSync(file)) return null;
  c.dlerror();
  const handle = c.dlopen(file, RTLD_NOW);
  if (handle === null) throw new Error(`the native code of this package does not load: ${c.dlerror()}`);
  return handle;
}

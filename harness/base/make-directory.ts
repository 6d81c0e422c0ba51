import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a directory and those above it that are missing. Node's own `recursive` never returns below /proc (seen with Node 20), where a
 * directory cannot be made although its parent is there.
 *
 * @throws the system's error, if one of them cannot be made or is something else than a directory
 */
export function makeDirectory(path: string): void {
  const directory = resolve(path);
  if (isDirectory(directory)) return;
  if (!isDirectory(dirname(directory))) makeDirectory(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have made it.
    if (!isDirectory(directory)) throw error;
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing. Node's own `recursive` never returns below /proc (seen with Node 20), where a
 * folder cannot be made although its parent is there.
 *
 * @throws the system's error, if one of them cannot be made or is something else than a folder
 */
export function makeFolder(path: string): void {
  const folder = resolve(path);
  if (isFolder(folder)) return;
  if (!isFolder(dirname(folder))) makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

import { isAbsolute, relative } from 'node:path';

/** A path as the user would type it: relative when it lies below the working folder. */
export function display(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

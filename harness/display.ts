import { isAbsolute, relative, sep } from 'node:path';
import { PACKAGE_ROOT, packagePath } from './paths.ts';

/** A path as the user would type it: relative when it lies below the working folder. */
export function display(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

/**
 * The file of a suite as reports name it. Where the package lies says nothing to who reads them on another machine: its suites
 * go by their place in it, as `suites/load/entry.yaml`.
 */
export const displaySuite = (cwd: string, file: string): string =>
  file.startsWith(packagePath('suites') + sep) ? relative(PACKAGE_ROOT, file).replaceAll(sep, '/') : display(cwd, file);

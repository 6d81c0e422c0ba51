import { isAbsolute, relative, sep } from 'node:path';
import { PACKAGE_ROOT, packagePath } from './paths.ts';

/** A path as the user would type it: relative if it is below the working directory. */
export function display(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

/**
 * The file of a suite as reports show it. The location of the package means nothing on another machine: its suites are shown
 * relative to it, as `suites/load/entry.yaml`.
 */
export const displaySuite = (cwd: string, file: string): string =>
  file.startsWith(packagePath('suites') + sep) ? relative(PACKAGE_ROOT, file).replaceAll(sep, '/') : display(cwd, file);

/** Shows line ends as `\n` and `\r`: text quoted from a file must not look like a line of the message. */
export const visibleLineEnds = (text: string): string =>
  text.replace(/[\r\n]/g, (end) => (end === '\n' ? '\\n' : '\\r'));

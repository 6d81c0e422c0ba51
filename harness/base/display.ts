import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { PACKAGE_ROOT, packagePath } from './paths.ts';

/** A path as the user would type it: relative if it is below the working directory. */
export function display(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

const isWithinSuites = (file: string): boolean => file.startsWith(packagePath('suites') + sep);

/**
 * The file of a suite as reports show it. The location of the package means nothing on another machine: its suites are shown
 * relative to it, as `suites/load/table.yaml`.
 */
export const displaySuite = (cwd: string, file: string): string =>
  isWithinSuites(file) ? relative(PACKAGE_ROOT, file).replaceAll(sep, '/') : display(cwd, file);

/** The way from the working directory to a suite that reports show by `displaySuite`, such as `node_modules/…/suites/load/table.yaml`. */
export function suiteOnDisk(cwd: string, shown: string): string {
  const own = join(PACKAGE_ROOT, shown);
  const isOurs = isWithinSuites(own) && !existsSync(join(cwd, shown)) && existsSync(own);
  return isOurs ? display(cwd, own) : shown;
}

/** Shows line ends as `\n` and `\r`: text quoted from a file must not look like a line of the message. */
export const visibleLineEnds = (text: string): string =>
  text.replace(/[\r\n]/g, (end) => (end === '\n' ? '\\n' : '\\r'));

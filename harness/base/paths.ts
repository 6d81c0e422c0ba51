import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);

/**
 * Root of the package: the directory with suites, schemas, fixtures and plugins, whether run from sources, dist or a bundle.
 */
export const PACKAGE_ROOT = rootAbove(dirname(here));

/** Whether a path leads to what the package brings along. */
export const isWithinPackage = (path: string): boolean => path.startsWith(PACKAGE_ROOT + sep);

export const packagePath = (...parts: string[]): string => join(PACKAGE_ROOT, ...parts);

/** Whether this code is the sources, and not what the build makes of them. */
export const fromSources = here.endsWith('.ts');

const require = createRequire(import.meta.url);

/** The contents of a data file beside the code. Required, and not imported: JSON modules still print a warning on Node 20. */
export const dataIn = <T>(file: string): T => require(dataPath(file)) as T;

/** A data file beside the code, such as `abi/table.json`. */
const dataPath = (file: string): string => packagePath(fromSources ? 'harness' : 'dist', file);

/** A program that runs in its own process, such as `worker/main`: one CommonJS file when built, which loads fastest. */
export const programPath = (name: string): string => dataPath(`${name}.${fromSources ? 'ts' : 'cjs'}`);

function rootAbove(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : rootAbove(dirname(directory));
}

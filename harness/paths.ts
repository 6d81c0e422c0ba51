import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(import.meta.url);

/** Root of the package: the folder that holds suites, schemas, fixtures and plugins, from sources, dist and bundles alike. */
export const PACKAGE_ROOT = rootAbove(dirname(here));

export const packagePath = (...parts: string[]): string => join(PACKAGE_ROOT, ...parts);

const fromSources = here.endsWith('.ts');

/** A data file that lies beside the code, as `abi/table.json`. */
export const dataPath = (file: string): string => packagePath(fromSources ? 'harness' : 'dist', file);

/** The program of a process of its own, as `worker/main`: one CommonJS file when built, which loads fastest. */
export const programPath = (name: string): string => dataPath(`${name}.${fromSources ? 'ts' : 'cjs'}`);

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

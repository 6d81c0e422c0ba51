import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the package: the folder that holds suites, schemas, fixtures and plugins, from sources and from dist alike. */
export const PACKAGE_ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

export const packagePath = (...parts: string[]): string => join(PACKAGE_ROOT, ...parts);

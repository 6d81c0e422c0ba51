import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';

/** Name of the file, as `init` writes it. */
export const CONFIG_NAME = 'pjrt-conformance.yaml';

const NAMES = [CONFIG_NAME, 'pjrt-conformance.yml'];

/** The nearest directory at or above this one that contains `.git`. */
export function repositoryRoot(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * The nearest configuration file, from this directory up to the root of the repository. Outside repositories only this
 * directory counts.
 */
export function findConfig(directory: string): string | undefined {
  const root = repositoryRoot(directory) ?? directory;
  for (let at = directory; ; at = dirname(at)) {
    const found = NAMES.map((name) => join(at, name)).filter((file) => existsSync(file));
    if (found.length > 1)
      throw new UsageError(`${found.join(' and ')}: remove one of the two, or choose with --config`);
    if (found.length === 1) return found[0];
    if (at === root) return undefined;
  }
}

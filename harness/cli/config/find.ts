import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../../usage-error.ts';

/** Name of the file, as `init` writes it. */
export const CONFIG_NAME = 'pjrt-conformance.yaml';

const NAMES = [CONFIG_NAME, 'pjrt-conformance.yml'];

/** The folder that holds `.git`, above a folder or the folder itself. */
export function repositoryRoot(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * The nearest configuration file, from the folder up to the root of the repository. Outside repositories only the folder
 * itself counts: what lies further up belongs to others.
 */
export function findConfig(folder: string): string | undefined {
  const root = repositoryRoot(folder) ?? folder;
  for (let at = folder; ; at = dirname(at)) {
    const found = NAMES.map((name) => join(at, name)).filter((file) => existsSync(file));
    if (found.length > 1)
      throw new UsageError(`${found.join(' and ')}: remove one of the two, or choose with --config`);
    if (found.length === 1) return found[0];
    if (at === root) return undefined;
  }
}

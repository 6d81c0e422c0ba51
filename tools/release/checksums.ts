import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CHECKSUMS = 'SHA256SUMS';

/** The digests of the files in a directory, as `sha256sum --check` reads them. */
export const checksums = (directory: string): string =>
  readdirSync(directory)
    .filter((name) => name !== CHECKSUMS)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');

/** Part of `npm run build`: removes what the last build made of the sources, so that nothing remains of deleted ones. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';

const dist = packagePath('dist');
/** Not the native libraries, which are compiled again only if their sources change. */
const OUTPUT = /\.(?:c?js|map|d\.ts|json|bin)$/;

mkdirSync(dist, { recursive: true });
for (const entry of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (OUTPUT.test(entry)) rmSync(join(dist, entry));
}

/** Part of `npm run build`: removes outputs of deleted sources from dist/, which would otherwise be packed. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';

const dist = packagePath('dist');
const OUTPUT = /(?:\.d\.ts|\.c?js|\.js\.map)$/;
const NOT_BUILT = /\.test(?:-helper)?\.ts$/;

for (const entry of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!OUTPUT.test(entry)) continue;
  const source = packagePath('harness', entry.replace(OUTPUT, '.ts'));
  if (!existsSync(source) || NOT_BUILT.test(source)) rmSync(join(dist, entry));
}

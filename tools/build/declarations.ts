/**
 * The types of the public API, for the package: of all declarations of the compiler, those that `index.d.ts` needs. Not part of
 * `npm run build`, because only users of the package read them, and the compiler takes longer than everything else there.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';

const TYPES = packagePath('build', 'types');

/** Writes them into dist/. @throws if the sources have errors of types */
export function writeDeclarations(): void {
  execFileSync(packagePath('node_modules', '.bin', 'tsc'), ['-p', packagePath('tsconfig.build.json')], {
    stdio: ['ignore', 2, 2],
  });
  const needed = new Set(['index.d.ts']);
  for (const file of needed) {
    cpSync(join(TYPES, file), packagePath('dist', file));
    for (const [, path] of readFileSync(join(TYPES, file), 'utf8').matchAll(/['"](\.{1,2}\/[^'"]+)\.[jt]s['"]/g))
      needed.add(`${join(dirname(file), path!)}.d.ts`);
  }
}

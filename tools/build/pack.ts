import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../harness/base/paths.ts';
import { writeDeclarations } from './declarations.ts';

/** Packs the package as it is built, with the types of its API, into a directory. */
export function packPackage(directory: string): { tarball: string; files: string[] } {
  mkdirSync(directory, { recursive: true });
  writeDeclarations();
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], {
      cwd: PACKAGE_ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as [{ filename: string; files: { path: string }[] }];
  return { tarball: join(directory, packed.filename), files: packed.files.map(({ path }) => path) };
}

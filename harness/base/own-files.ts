import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { packagePath } from './paths.ts';

/** What decides what a run does and says, below the package: code, and the data that it reads. */
const PARTS = [
  'dist',
  'suites',
  'schemas',
  'frameworks',
  'mustpass',
  'consumers',
  'fixtures/models',
  'plugins/known',
  'plugins/environment.yaml',
];

/** Written by the build, about all others. */
export const OWN_FILES = packagePath('dist', 'files.json');

/** Nothing reads these while cases run, or Python writes them. */
const UNUSED = /\.(?:map|d\.ts|pyc)$|^dist\/files\.json$/;

/** Compiled where the package is built: no two machines make the same bytes. */
const NATIVE = /\.(?:so|dylib)$/;

/** SHA-256 of the files of this package, by path. */
export interface OwnFiles {
  /** Of the list, without what is compiled for a machine: the same for everyone who builds the same sources. */
  sha256: string;
  files: Record<string, string>;
}

/** Reads every file of the package as it is now. */
export function ownFiles(): OwnFiles {
  const paths = PARTS.flatMap((part) => filesBelow(part)).filter((path) => !UNUSED.test(path));
  const hash = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
  const files = Object.fromEntries(paths.sort().map((path) => [path, hash(readFileSync(packagePath(path)))]));
  const same = Object.entries(files).filter(([path]) => !NATIVE.test(path));
  return { sha256: hash(same.join('\n')), files };
}

function filesBelow(path: string): string[] {
  const found = statSync(packagePath(path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [path] : [];
  return readdirSync(packagePath(path)).flatMap((name) => filesBelow(`${path}/${name}`));
}

/** The files as they were built; undefined in a checkout that is not built. */
export const builtFiles = (): OwnFiles | undefined =>
  existsSync(OWN_FILES) ? (JSON.parse(readFileSync(OWN_FILES, 'utf8')) as OwnFiles) : undefined;

/** Paths of files that were changed, removed or added. */
export const changedFiles = (built: OwnFiles, now: OwnFiles): string[] =>
  [...new Set([...Object.keys(built.files), ...Object.keys(now.files)])]
    .filter((path) => built.files[path] !== now.files[path])
    .sort();

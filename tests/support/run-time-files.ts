import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PACKAGE_ROOT, packagePath } from '../../harness/base/paths.ts';
import { knownDirectory, readKnownManifests } from '../../harness/host/plugins/known.ts';
import { GENERATED } from '../../tools/reference/generated-sources.ts';

/** A call that names a file of the package; string arguments before the first other one count. */
const CALL = /\b(packagePath|dataIn|programPath)(?:<.*?>)?\(((?:\s*'[^']+',?)+)/g;

const PLACES: Readonly<Record<string, (parts: string[]) => string>> = {
  packagePath: (parts) => parts.join('/'),
  dataIn: ([file]) => `dist/${file}`,
  programPath: ([name]) => `dist/${name}.cjs`,
};

/**
 * Files of the package that the built command may read, from the paths in its sources: a directory stands for everything in
 * it. Sources of plugins are those that their tables name; what is below fixtures/ is packed in dist/, except models.
 */
export async function runTimeFiles(): Promise<string[]> {
  const builds = (await readKnownManifests()).flatMap(({ build }) => build?.directory ?? []);
  const directories = builds.map((directory) => relative(PACKAGE_ROOT, join(knownDirectory(), directory)));
  const named = sources().flatMap((text) =>
    [...text.matchAll(CALL)].map(([, call, list]) =>
      PLACES[call!]!([...list!.matchAll(/'([^']+)'/g)].map(([, part]) => part!)),
    ),
  );
  const places = [
    ...named.filter((place) => place !== 'fixtures'),
    'fixtures/models',
    ...directories,
    GENERATED_SOURCES,
  ];
  return [...new Set(places.flatMap(filesAt))].sort();
}

const sources = (): string[] =>
  readdirSync(packagePath('harness'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test(-helper)?\.ts$/.test(name))
    .map((name) => readFileSync(packagePath('harness', name), 'utf8'));

/** Sources that a plugin is built from although git does not track them. */
const GENERATED_SOURCES = relative(PACKAGE_ROOT, GENERATED);

/** A file, or the files in a directory except tests: those that git tracks, and all build outputs. */
function filesAt(place: string): string[] {
  if (!statSync(packagePath(place), { throwIfNoEntry: false })?.isDirectory()) return [place];
  const list = [GENERATED_SOURCES, 'dist'].some((built) => place.startsWith(built))
    ? readdirSync(packagePath(place), { recursive: true, encoding: 'utf8' }).map((name) => `${place}/${name}`)
    : execFileSync('git', ['ls-files', place], { cwd: PACKAGE_ROOT, encoding: 'utf8' }).trim().split('\n');
  return list.filter((file) => !/(?:^|\/)tests\//.test(file) && statSync(packagePath(file)).isFile());
}

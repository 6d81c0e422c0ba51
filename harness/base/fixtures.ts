import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fromSources, packagePath } from './paths.ts';

/** Directories below fixtures/ whose thousands of files the build makes one. */
const PACKED = ['programs', 'artifacts', 'expected'];

/** Where the packed files are: their bytes one after the other, and where each of them is. */
export interface FixturePack {
  data: string;
  index: string;
}

export const FIXTURE_PACK: FixturePack = {
  data: packagePath('dist', 'fixtures.bin'),
  index: packagePath('dist', 'fixtures.json'),
};

/** Offset and length of each file, by its path below fixtures/. */
type Places = Record<string, [number, number]>;

const known = new Map<string, Places>();

/** A file below fixtures/, such as `programs/index.json`: from the directory in sources, from the pack when built. @throws Error */
export const readFixture = (file: string): Buffer =>
  fromSources ? readFileSync(packagePath('fixtures', file)) : readPacked(FIXTURE_PACK, file);

/** A file of a pack. Nothing stays open: a plugin may close descriptors of its process. @throws Error */
export function readPacked({ data, index }: FixturePack, file: string): Buffer {
  const places = known.get(index) ?? (JSON.parse(readFileSync(index, 'utf8')) as Places);
  known.set(index, places);
  if (!Object.hasOwn(places, file)) throw new Error(`${data} does not contain ${file}`);
  const [start, length] = places[file]!;
  const bytes = Buffer.alloc(length);
  const descriptor = openSync(data, 'r');
  try {
    if (readSync(descriptor, bytes, 0, length, start) < length) throw new Error(`${data} ends before ${file} does`);
  } finally {
    closeSync(descriptor);
  }
  return bytes;
}

/** The pack of a directory like fixtures/. */
export function packFixtures(fixtures: string): { data: Buffer; places: Places } {
  const paths = PACKED.flatMap((part) => readdirSync(join(fixtures, part), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const contents = paths.map((path) => readFileSync(path));
  let end = 0;
  const places = contents.map(({ length }, i): [string, [number, number]] => {
    end += length;
    return [relative(fixtures, paths[i]!).split(sep).join('/'), [end - length, length]];
  });
  return { data: Buffer.concat(contents), places: Object.fromEntries(places) };
}

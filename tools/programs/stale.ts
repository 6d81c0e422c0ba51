import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IndexEntry, type IndexedFile, readIndex } from '../../harness/knowledge/programs/program-index.ts';

const INDEX = 'programs/index.json';
const OWNED = ['programs', 'artifacts'];

/** Differences between the index and the files below `fixtures`: changed, missing and extra files. */
export function findStale(fixtures: string): string[] {
  const expected = new Map(readIndex(join(fixtures, INDEX)).programs.flatMap((entry) => filesOf(entry).map(keyed)));
  const present = OWNED.flatMap((directory) =>
    readdirSync(join(fixtures, directory), { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => relativePath(fixtures, join(item.parentPath, item.name))),
  );
  const found = present
    .filter((file) => file !== INDEX && !expected.has(file))
    .map((file) => `${file}: no entry of the index names it`);
  const there = new Set(present);
  for (const [file, { sha256, bytes }] of expected) {
    if (!there.has(file)) found.push(`${file}: missing`);
    else {
      const data = readFileSync(join(fixtures, file));
      const digest = createHash('sha256').update(data).digest('hex');
      if (digest !== sha256) found.push(`${file}: changed (${data.length} bytes, expected ${bytes})`);
    }
  }
  return found.sort();
}

const filesOf = (entry: IndexEntry): IndexedFile[] => [entry, ...(entry.artifacts ?? [])];
const keyed = (file: IndexedFile): [string, IndexedFile] => [file.file, file];
const relativePath = (root: string, path: string): string => path.slice(root.length + 1).replaceAll('\\', '/');

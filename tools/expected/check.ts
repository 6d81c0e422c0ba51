/**
 * Checks that fixtures/expected is the last output of tools/expected/generate.py, and that the generator has not changed
 * since. Needs no Python, so it runs with every test run. Usage: `npx tsx tools/expected/check.ts`.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** One table in the manifest. */
interface ManifestRow {
  name: string;
  op: string;
  dtype: string;
  count: number;
  columns: string[];
  /** Working precision in bits that settled every rounding; 0 for integer arithmetic. */
  precision: number;
  sha256: string;
}

/** fixtures/expected/manifest.json. */
interface Manifest {
  generator: number;
  mpmath: string;
  sources: string;
  tables: ManifestRow[];
}

const SIZE_LIMIT = 1_500_000;
const here = fileURLToPath(new URL('.', import.meta.url));

/** Directory of the tables. */
export const EXPECTED = join(here, '..', '..', 'fixtures', 'expected');

const REGENERATE = 'run tools/expected/generate.py and commit what it writes';

/** Digest of the generator's sources, as generate.py computes it. */
function sourcesDigest(directory: string = here): string {
  const digest = createHash('sha256');
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.py'))
    .sort();
  for (const name of names) digest.update(`${name}\n`).update(readFileSync(join(directory, name)));
  return digest.digest('hex');
}

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'));

/** Everything that is wrong with the tables in a directory; an empty list means they are current. */
export function staleTables(directory: string = EXPECTED, sources: string = sourcesDigest()): string[] {
  const path = join(directory, 'manifest.json');
  if (!existsSync(path)) return [`manifest.json is missing: ${REGENERATE}`];
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const problems: string[] = [];
  if (manifest.sources !== sources)
    problems.push(`the generator has changed since the tables were made: ${REGENERATE}`);
  const listed = new Set(['manifest.json']);
  for (const row of manifest.tables) {
    const file = `${row.name}.json`;
    listed.add(file);
    if (!existsSync(join(directory, file))) {
      problems.push(`${file} is missing: ${REGENERATE}`);
      continue;
    }
    const sha256 = createHash('sha256')
      .update(readFileSync(join(directory, file)))
      .digest('hex');
    if (sha256 !== row.sha256) problems.push(`${file} is not what the manifest says (sha256 ${sha256}): ${REGENERATE}`);
  }
  const files = filesBelow(directory);
  for (const file of files)
    if (!listed.has(file)) problems.push(`${file} is not in the manifest: delete it, or ${REGENERATE}`);
  const size = files.reduce((sum, file) => sum + statSync(join(directory, file)).size, 0);
  if (size > SIZE_LIMIT) problems.push(`the tables take ${size} bytes, more than ${SIZE_LIMIT}`);
  return problems;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problems = staleTables();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

/**
 * Checks that fixtures/models belongs to the programs and to the generators of data: the inputs of every model are the bytes for
 * which its results were computed, and the results are those of the manifest. Needs no Python, so it runs with every test run.
 * Usage: `npx tsx tools/models/check.ts`.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { packagePath } from '../../harness/base/paths.ts';
import { readArrayFile } from '../../harness/knowledge/arrays/array-file.ts';
import { loadProgram, programNames } from '../../harness/knowledge/programs/programs.ts';
import { programInputs } from '../../harness/worker/steps/program.ts';

/** fixtures/models/manifest.json. */
interface Manifest {
  models: ModelRow[];
}

interface ModelRow {
  name: string;
  /** Digests of the inputs, in the order of the parameters. */
  inputs: string[];
  expected: Record<string, { dtype: string; shape: number[]; sha256: string }>;
}

const SIZE_LIMIT = 2_000_000;
const REGENERATE = 'run tools/models/generate.py and commit what it writes';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Everything that is wrong with the results of models; an empty list means they are current. */
export async function staleModels(directory: string = packagePath('fixtures', 'models')): Promise<string[]> {
  const { models } = JSON.parse(readFileSync(`${directory}/manifest.json`, 'utf8')) as Manifest;
  const problems: string[] = [];
  const known = new Set(models.map(({ name }) => `model/${name}`));
  for (const name of programNames().filter((program) => program.startsWith('model/'))) {
    if (!known.has(name)) problems.push(`${name} is not in the manifest: ${REGENERATE}`);
  }
  const stored = new Set(
    models.filter(({ expected }) => Object.keys(expected).length > 0).map(({ name }) => `${name}.npz`),
  );
  const files = readdirSync(directory).filter((file) => file.endsWith('.npz'));
  for (const file of files) if (!stored.has(file)) problems.push(`${file} is not in the manifest: delete it`);
  for (const { name, inputs, expected } of models) {
    for (const [i, input] of programInputs(loadProgram(`model/${name}`)).entries()) {
      if (sha256(input.bytes) !== inputs[i])
        problems.push(`${name}: input ${i} is not the one of its results: ${REGENERATE}`);
    }
    for (const [array, { dtype, shape, sha256: digest }] of Object.entries(expected)) {
      const read = await readArrayFile({ path: `${directory}/${name}.npz`, array, dtype, shape });
      if (sha256(read.bytes) !== digest)
        problems.push(`${name}: ${array} is not what the manifest says: ${REGENERATE}`);
    }
  }
  const size = files.reduce((sum, file) => sum + statSync(`${directory}/${file}`).size, 0);
  if (size > SIZE_LIMIT) problems.push(`the results take ${size} bytes, more than ${SIZE_LIMIT}`);
  return problems;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problems = await staleModels();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

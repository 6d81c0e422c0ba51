import { createHash } from 'node:crypto';
import { closeSync, type Dirent, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';
import { RecordedModuleError } from '../../knowledge/recorded/mlir-text.ts';
import { testFunctions } from '../../knowledge/recorded/module.ts';
import type { LoadedSuite } from '../load.ts';
import type { Case, Level } from '../types.ts';

/** What all cases cover, and its level in suites/requirements.yaml. */
export const REQUIREMENT = 'NUM-REC-001';
export const LEVEL: Level = 'opt';

/** One module a file: nothing has to be read before a case runs. */
const MODULES = { id: 'stablehlo/testdata', directory: 'stablehlo/testdata' };

/** Directories with files of several tests. */
const FILES = [
  { id: 'stablehlo/testdata/quantized', directory: 'stablehlo/testdata/quantized' },
  { id: 'stablehlo/interpret', directory: 'stablehlo/tests/interpret' },
  { id: 'stablehlo/interpret/chlo', directory: 'stablehlo/tests/interpret/chlo' },
] as const;

/**
 * The recorded tests in a checkout of StableHLO as suites, made in memory. The modules themselves are read by workers.
 * @throws UsageError if this is no checkout
 */
export function stablehloCorpus(checkout: string, cwd: string): LoadedSuite[] {
  demandCheckout(checkout, cwd);
  const at = (directory: string): string => join(checkout, directory);
  const modules = at(MODULES.directory);
  const names = mlirFiles(resolve(cwd, modules));
  return [
    {
      id: MODULES.id,
      file: modules,
      description: "Modules that StableHLO's testdata recorded from JAX.",
      sha256: sha256Of(names.map((name) => resolve(cwd, modules, name))),
      cases: names.map((name) => caseOf(MODULES.id, stem(name), { file: join(modules, name), path: `./${name}` })),
    },
    ...FILES.flatMap(({ id, directory }) =>
      existsSync(resolve(cwd, at(directory)))
        ? mlirFiles(resolve(cwd, at(directory))).map((name) => suiteOf(id, join(at(directory), name), name, cwd))
        : [],
    ),
  ].filter(({ cases }) => cases.length > 0);
}

function demandCheckout(checkout: string, cwd: string): void {
  const shown = `--dir ${checkout}`;
  const lacks = [MODULES.directory, 'stablehlo/tests/interpret'].find(
    (directory) => !statSync(resolve(cwd, checkout, directory), { throwIfNoEntry: false })?.isDirectory(),
  );
  if (lacks === undefined) return;
  throw new UsageError(
    `${shown}: it has no ${lacks}; expected a checkout of StableHLO, with modules in ${MODULES.directory} and stablehlo/tests/interpret:\n` +
      '  git clone --depth 1 https://github.com/openxla/stablehlo',
    { options: ['dir'], paths: [checkout] },
  );
}

const PIECE = Buffer.alloc(2 ** 18);

/** Of all files, read piece by piece: together they are tens of megabytes. */
function sha256Of(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    const file = openSync(path, 'r');
    try {
      for (let read = readSync(file, PIECE); read > 0; read = readSync(file, PIECE))
        hash.update(PIECE.subarray(0, read));
    } finally {
      closeSync(file);
    }
  }
  return hash.digest('hex');
}

const mlirFiles = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry: Dirent) => entry.isFile() && entry.name.endsWith('.mlir'))
    .map(({ name }) => name)
    .sort();

const stem = (name: string): string => name.slice(0, -'.mlir'.length);

/** A file with several tests: its functions are the cases. */
function suiteOf(group: string, file: string, name: string, cwd: string): LoadedSuite {
  const id = `${group}/${stem(name)}`;
  const description = `Tests that StableHLO's interpreter runs, of ${name}.`;
  const path = `./${name}`;
  try {
    const tests = testFunctions(readFileSync(resolve(cwd, file), 'utf8'), file);
    const cases = tests.map(({ name: test, occurrence, line }) =>
      caseOf(id, occurrence === 1 ? test : `${test}.${occurrence}`, { file, path, line, test, occurrence }),
    );
    return { id, file, description, cases };
  } catch (error) {
    if (!(error instanceof RecordedModuleError)) throw error;
    // Which tests it has is unknown; the case says why.
    return { id, file, description, cases: [caseOf(id, stem(name), { file, path })] };
  }
}

interface Place {
  file: string;
  path: string;
  line?: number;
  test?: string;
  occurrence?: number;
}

function caseOf(suite: string, name: string, { file, path, line = 1, test, occurrence }: Place): Case {
  return {
    id: `${suite}:${name}`,
    suite,
    name,
    params: {},
    file,
    line,
    title: `${name} gives the recorded results`,
    covers: [REQUIREMENT],
    level: LEVEL,
    levels: { [REQUIREMENT]: LEVEL },
    tags: ['corpus'],
    requires: {},
    isolation: 'worker',
    client: 'shared',
    deadline: {},
    steps: [
      {
        verb: 'recorded',
        path,
        line,
        ...(test === undefined ? {} : { function: test }),
        ...(occurrence === undefined || occurrence === 1 ? {} : { occurrence }),
      },
    ],
  };
}

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { closest, didYouMean } from '../base/did-you-mean.ts';
import { packagePath } from '../base/paths.ts';
import { readTextFile } from '../base/text-file.ts';
import { checkInvalidCase, expandCase } from './expand.ts';
import { type DocumentPath, type LocatedYaml, parseYaml } from './located-yaml.ts';
import { flattenSets, type Sets } from './matrix.ts';
import { formatPath, type SuiteProblem, show, throwIfAny } from './problem.ts';
import { nestedSteps, type RawCase, type RawSets, type RawStep, type RawSuite, VERBS, verbsOf } from './raw.ts';
import { CATALOGUE, type Requirements, requirementsFor } from './requirements.ts';
import { checkSchema, validator } from './schema-check.ts';
import type { Case } from './types.ts';
import { checkRequiresVocabulary, type Vocabulary } from './vocabulary.ts';

/** How suites are read; everything has a default. */
export interface LoadOptions {
  /** Base of relative paths; default: the working directory of the process. Messages have the paths as given. */
  cwd?: string;
  /** Directory that suite ids are relative to; default: the innermost directory called `suites` above the file. */
  root?: string;
  /** Known requirements; default: those of the package, and of catalogues beside the suites. */
  requirements?: Requirements;
  /** Shared named sets; default: suites/sets.yaml of the package. */
  sets?: Sets;
  /** Names that the caller can check. */
  vocabulary?: Vocabulary;
  /** Suites that are there already: their case ids are taken. */
  beside?: readonly LoadedSuite[];
}

/** One suite file, expanded. */
export interface LoadedSuite {
  id: string;
  file: string;
  description: string;
  /** Digest of what it was made from, if that is not the file. */
  sha256?: string;
  cases: Case[];
}

export interface LoadResult {
  suites: LoadedSuite[];
  /** Every case of every suite, in order. */
  cases: Case[];
  problems: SuiteProblem[];
}

/** Reads and expands suite files and directories of them; throws one SuiteError with every problem of every file. */
export function loadSuites(paths: readonly string[], options: LoadOptions = {}): Omit<LoadResult, 'problems'> {
  const { suites, cases, problems } = readSuites(paths, options);
  throwIfAny(problems);
  return { suites, cases };
}

/** Like loadSuites, with problems as data; a suite with a problem has only its valid cases. */
export function readSuites(paths: readonly string[], options: LoadOptions = {}): LoadResult {
  const requirements = options.requirements ?? requirementsFor(paths, options.cwd);
  const sets = options.sets ?? loadSets();
  const problems: SuiteProblem[] = [];
  const suites: LoadedSuite[] = [];
  for (const { file, id } of paths.flatMap((path) => suiteFiles(path, options, problems))) {
    const text = readText(file, problems, options.cwd);
    if (text === undefined) continue;
    const read = readSuite(text, { file, id, requirements, sets, vocabulary: options.vocabulary ?? {} });
    problems.push(...read.problems);
    if (read.suite) suites.push(read.suite);
  }
  const cases = suites.flatMap((suite) => suite.cases);
  problems.push(...duplicates([...(options.beside ?? []).flatMap((suite) => suite.cases), ...cases]));
  if (suites.length === 0 && problems.length === 0) {
    problems.push({
      file: paths.join(', ') || '(no path)',
      path: '',
      message: 'no suite found',
      expected: 'a .yaml file, or a directory with .yaml files',
    });
  }
  return { suites, cases, problems };
}

export interface SuiteSource {
  file: string;
  /** Id that the file's place gives it; undefined accepts any. */
  id?: string;
  requirements: Requirements;
  sets: Sets;
  vocabulary: Vocabulary;
}

/** Reads the text of one suite file. Never throws, whatever the text. */
export function readSuite(text: string, source: SuiteSource): { suite?: LoadedSuite; problems: SuiteProblem[] } {
  const document = parseYaml(text, source.file);
  const problems = [...document.problems];
  // Schema messages about a document that YAML could only guess at would mislead.
  if (problems.some(({ kind }) => kind === 'syntax')) return { problems };
  const verbProblems = checkVerbs(document);
  const reported = new Set(verbProblems.map((problem) => problem.path));
  const schemaProblems = checkSchema(validator('suite.schema.json'), document).filter(
    (problem) => ![...reported].some((path) => problem.path === path || problem.path.startsWith(`${path}.`)),
  );
  problems.push(...verbProblems, ...schemaProblems);
  const raw = document.value as Partial<RawSuite> | null;
  if (typeof raw !== 'object' || raw === null || typeof raw.suite !== 'string') return { problems: inOrder(problems) };
  if (source.id !== undefined && raw.suite !== source.id) {
    problems.push({
      file: source.file,
      position: document.at(['suite']),
      path: 'suite',
      message: 'the id does not match the path of the file',
      expected: source.id,
      got: raw.suite,
    });
  }
  const sets = withLocalSets(raw.sets, source.sets, document, problems);
  const defaultsValid = raw.defaults === undefined || !problems.some((problem) => problem.path.startsWith('defaults'));
  if (raw.defaults?.requires && defaultsValid) {
    const at = ['defaults', 'requires'];
    problems.push(...checkRequiresVocabulary(raw.defaults.requires, source.vocabulary, document, at));
  }
  const list = Array.isArray(raw.cases) ? raw.cases : [];
  const cases: Case[] = [];
  const seen = new Map<string, number>();
  const validCase = validator('suite.schema.json', '/$defs/case');
  for (const [i, entry] of list.entries()) {
    const path = ['cases', i];
    const context = { ...source, document, sets };
    // One case that the schema rejects does not hide what is wrong with the others.
    if (
      !defaultsValid ||
      !validCase(entry) ||
      [...reported].some((where) => where.startsWith(`${formatPath(path)}.`))
    ) {
      problems.push(...checkInvalidCase({ defaults: defaultsValid ? raw.defaults : undefined }, entry, path, context));
      continue;
    }
    const first = seen.get(entry.id);
    if (first !== undefined) {
      problems.push({
        file: source.file,
        position: document.at([...path, 'id']),
        path: formatPath([...path, 'id']),
        message: `case ${show(entry.id)} is already in line ${first}`,
        help: 'ids are unique within a suite',
      });
      continue;
    }
    seen.set(entry.id, document.at(path).line);
    const expanded = expandCase({ suite: raw.suite, defaults: raw.defaults }, entry as RawCase, path, context);
    problems.push(...expanded.problems);
    cases.push(...expanded.cases);
  }
  return {
    suite: { id: raw.suite, file: source.file, description: String(raw.description), cases },
    problems: inOrder(problems),
  };
}

/** Problems from top to bottom. */
function inOrder(problems: readonly SuiteProblem[]): SuiteProblem[] {
  const line = (problem: SuiteProblem): number => problem.position?.line ?? 0;
  const column = (problem: SuiteProblem): number => problem.position?.column ?? 0;
  return problems.toSorted((a, b) => line(a) - line(b) || column(a) - column(b));
}

/** The shared sets of the package or of another file. */
export function loadSets(file: string = packagePath('suites', 'sets.yaml')): Sets {
  const problems: SuiteProblem[] = [];
  const text = readText(file, problems) ?? '';
  throwIfAny(problems);
  return parseSets(text, file);
}

/** Shared sets from their text. @throws SuiteError */
export function parseSets(text: string, file: string): Sets {
  const document = parseYaml(text, file);
  throwIfAny(document.problems);
  throwIfAny(checkSchema(validator('suite.schema.json', '/$defs/sets'), document));
  return flattenSets(document.value as RawSets);
}

function withLocalSets(raw: unknown, shared: Sets, document: LocatedYaml, problems: SuiteProblem[]): Sets {
  if (raw === undefined || !validator('suite.schema.json', '/$defs/sets')(raw)) return shared;
  const local = flattenSets(raw as RawSets);
  for (const name of local.keys()) {
    if (!shared.has(name)) continue;
    const path = ['sets', ...name.split('.')];
    problems.push({
      file: document.file,
      position: document.keyAt(path),
      path: formatPath(path),
      message: `$${name} is already a shared set`,
      help: 'choose another name',
    });
  }
  return new Map([...shared, ...local]);
}

/** Every step must have exactly one verb; checked here, because the schema can only report that no alternative matches. */
function checkVerbs(document: LocatedYaml): SuiteProblem[] {
  const problems: SuiteProblem[] = [];
  const cases = (document.value as { cases?: unknown } | null)?.cases;
  for (const [c, entry] of (Array.isArray(cases) ? cases : []).entries()) {
    const steps = (entry as { steps?: unknown } | null)?.steps;
    checkSteps(steps, ['cases', c, 'steps']);
  }
  return problems;

  function checkSteps(steps: unknown, at: DocumentPath): void {
    for (const [s, step] of (Array.isArray(steps) ? steps : []).entries()) {
      if (typeof step !== 'object' || step === null || Array.isArray(step)) continue;
      const path = [...at, s];
      const verbs = verbsOf(step);
      if (verbs.length === 1) {
        const nested = nestedSteps(step as RawStep);
        checkSteps(nested.steps, [...path, nested.key]);
        continue;
      }
      const keys = Object.keys(step);
      if (verbs.length > 1) {
        problems.push({
          file: document.file,
          position: document.keyAt([...path, verbs[1]!]),
          path: formatPath(path),
          message: `${verbs.length} verbs in one step: ${verbs.join(', ')}`,
          help: 'begin every step with "- "',
        });
        continue;
      }
      const key = keys.find((name) => closest(name, VERBS) !== undefined) ?? keys[0];
      problems.push({
        file: document.file,
        position: key === undefined ? document.at(path) : document.keyAt([...path, key]),
        path: formatPath(path),
        message: key === undefined ? 'a step without a verb' : `unknown verb ${show(key)}`,
        expected: `one of ${VERBS.join(', ')}`,
        help: key === undefined ? undefined : didYouMean(key, VERBS),
      });
    }
  }
}

function duplicates(cases: readonly Case[]): SuiteProblem[] {
  const seen = new Map<string, Case>();
  const problems: SuiteProblem[] = [];
  for (const found of cases) {
    const first = seen.get(found.id);
    if (first) {
      problems.push({
        file: found.file,
        position: { line: found.line, column: 1 },
        path: '',
        message: `case id ${found.id} is already in ${first.file}:${first.line}`,
      });
    } else seen.set(found.id, found);
  }
  return problems;
}

/** Files in a directory that are data for suites and not suites. */
const NOT_SUITES: readonly string[] = ['sets.yaml', CATALOGUE];

function suiteFiles(
  path: string,
  { root, cwd = '' }: LoadOptions,
  problems: SuiteProblem[],
): { file: string; id: string }[] {
  let isDirectory: boolean;
  let files = [path];
  try {
    isDirectory = statSync(resolve(cwd, path)).isDirectory();
    if (isDirectory)
      files = walk(path, cwd).filter((file) => !(dirname(file) === path && NOT_SUITES.includes(basename(file))));
  } catch (error) {
    problems.push({
      file: path,
      path: '',
      message: `cannot be read: ${(error as Error).message}`,
      expected: 'a suite file, or a directory of them',
    });
    return [];
  }
  return files.flatMap((file) => {
    if (isDirectory && file.endsWith('.yml')) {
      problems.push({ file, path: '', message: 'suite files end in .yaml', help: 'rename it' });
      return [];
    }
    if (isDirectory && !file.endsWith('.yaml')) return [];
    const base = root ?? suitesDirectory(file) ?? (isDirectory ? path : dirname(file));
    const id = relative(base, file)
      .split(sep)
      .join('/')
      .replace(/\.ya?ml$/, '');
    return [{ file, id }];
  });
}

/** The innermost directory called `suites` above the file. */
function suitesDirectory(file: string): string | undefined {
  let directory = dirname(file);
  while (basename(directory) !== 'suites') {
    if (directory === dirname(directory) || basename(directory) === '') return undefined;
    directory = dirname(directory);
  }
  return directory;
}

/** Files below a directory, in the order of the ids of their suites; `profiles` holds other documents. */
function walk(directory: string, cwd: string): string[] {
  const stem = (path: string): string => path.replace(/\.[^.]*$/, '');
  return filesBelow(directory, cwd).sort((a, b) => (stem(a) < stem(b) ? -1 : 1));
}

const filesBelow = (directory: string, cwd: string): string[] =>
  readdirSync(resolve(cwd, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name === 'profiles' ? [] : filesBelow(path, cwd);
    return [path];
  });

function readText(file: string, problems: SuiteProblem[], cwd = ''): string | undefined {
  try {
    return readTextFile(resolve(cwd, file));
  } catch (error) {
    problems.push({ file, path: '', message: `cannot be read: ${(error as Error).message}` });
    return undefined;
  }
}

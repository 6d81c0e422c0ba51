import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { packagePath } from '../base/paths.ts';
import { systemReason } from '../base/system-reason.ts';
import { readTextFile } from '../base/text-file.ts';
import { checkSuite, type SuiteSource } from './check-suite.ts';
import { checkedDocument } from './checked-document.ts';
import { expandCase } from './expand.ts';
import { parseYaml } from './located-yaml.ts';
import { flattenSets, type Sets } from './matrix.ts';
import { fileProblem, type SuiteProblem, throwIfAny } from './problem.ts';
import type { RawSets } from './raw.ts';
import { CATALOGUE, type Requirements, requirementsFor } from './requirements.ts';
import { withStepsAround } from './steps-around.ts';
import { textOf } from './text-of.ts';
import type { Case } from './types.ts';
import type { Vocabulary } from './vocabulary.ts';

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
  const files = paths.flatMap((path) => suiteFiles(path, options, problems));
  const reads = new Map<string, ReturnType<typeof readSuite>>();
  const read = ({ file, id }: SuiteFile): ReturnType<typeof readSuite> => {
    const done = reads.get(file);
    if (done) return done;
    const result: ReturnType<typeof readSuite> = { problems: [] };
    // While it is being read, it has no cases.
    reads.set(file, result);
    const text = readText(file, result.problems, options.cwd);
    const beside = (suite: string): SuiteFile => ({ id: suite, file: file.replace(`${id}.yaml`, `${suite}.yaml`) });
    const casesOf = (suite: string): Case[] | undefined =>
      read(files.find((one) => one.id === suite) ?? beside(suite)).suite?.cases;
    const source = { file, id, requirements, sets, vocabulary: options.vocabulary ?? {}, casesOf };
    return text === undefined ? result : Object.assign(result, readSuite(text, source));
  };
  const results = files.map(read);
  problems.push(...results.flatMap((result) => result.problems));
  const suites = results.flatMap(({ suite }) => suite ?? []);
  const cases = suites.flatMap((suite) => suite.cases);
  problems.push(...duplicates([...(options.beside ?? []).flatMap((suite) => suite.cases), ...cases]));
  if (suites.length === 0 && problems.length === 0) {
    const expected = 'a .yaml file, or a directory with .yaml files';
    problems.push(fileProblem(paths.join(', ') || '(no path)', 'no suite found', { expected }));
  }
  return { suites, cases, problems };
}

/** Reads the text of one suite file: checks all of it, then expands what is valid. Never throws, whatever the text. */
export function readSuite(text: string, source: SuiteSource): { suite?: LoadedSuite; problems: SuiteProblem[] } {
  const document = withStepsAround(parseYaml(text, source.file));
  const { raw, cases, problems } = checkSuite(document, source);
  if (!raw) return { problems };
  const { suite: id, description } = raw;
  const expanded = cases.flatMap((one) => expandCase(raw, one, document, source.requirements));
  return { suite: { id, file: source.file, description: String(description), cases: expanded }, problems };
}

/** The shared sets of the package or of another file. */
export const loadSets = (file: string = packagePath('suites', 'sets.yaml')): Sets =>
  parseSets(textOf(file, file), file);

/** Shared sets from their text. @throws SuiteError */
export function parseSets(text: string, file: string): Sets {
  const document = checkedDocument(text, file, 'suite.schema.json', '/$defs/sets');
  return flattenSets(document.value as RawSets);
}

function duplicates(cases: readonly Case[]): SuiteProblem[] {
  const seen = new Map<string, Case>();
  const problems: SuiteProblem[] = [];
  for (const found of cases) {
    const first = seen.get(found.id);
    const position = { line: found.line, column: 1 };
    if (!first) seen.set(found.id, found);
    else {
      const message = `case id ${found.id} is already in ${first.file}:${first.line}`;
      problems.push(fileProblem(found.file, message, { position }));
    }
  }
  return problems;
}

/** Files in a directory that are data for suites and not suites. */
const NOT_SUITES: readonly string[] = ['sets.yaml', CATALOGUE];

interface SuiteFile {
  file: string;
  id: string;
}

function suiteFiles(path: string, { root, cwd = '' }: LoadOptions, problems: SuiteProblem[]): SuiteFile[] {
  let isDirectory: boolean;
  let files = [path];
  try {
    isDirectory = statSync(resolve(cwd, path)).isDirectory();
    if (isDirectory)
      files = walk(path, cwd).filter((file) => !(dirname(file) === path && NOT_SUITES.includes(basename(file))));
  } catch (error) {
    const expected = 'a suite file, or a directory of them';
    problems.push(fileProblem(path, `cannot be read: ${systemReason(error)}`, { expected }));
    return [];
  }
  return files.flatMap((file) => {
    if (isDirectory && file.endsWith('.yml')) {
      problems.push(fileProblem(file, 'suite files end in .yaml', { help: 'rename it' }));
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
    problems.push(fileProblem(file, `cannot be read: ${systemReason(error)}`));
    return undefined;
  }
}

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Run, SuiteRun } from '../model/run.ts';
import { packagePath } from '../paths.ts';
import { isProgramFile } from '../programs/program-file.ts';
import { loadProgram } from '../programs/programs.ts';
import type { CaseSource, ProgramSource } from '../report/case-source.ts';
import { caseText } from '../suite/case-text.ts';
import type { LoadedSuite } from '../suite/load.ts';
import { readTextFile } from '../suite/text-file.ts';
import type { Case, Step } from '../suite/types.ts';
import { TOOL } from '../tool.ts';
import { loadAllSuites } from './load-suites.ts';

/** Characters of a program that are shown. */
const PROGRAM_UNITS = 1 << 16;

/**
 * What the cases of a run are made of, as far as the files of their suites are still those of the run: their digest is in the
 * log. Never throws: a report is not worth less where a file is gone.
 * @param cwd base of relative paths in the log
 */
export async function caseSources(run: Run, cwd: string): Promise<Map<string, CaseSource>> {
  const programs = new Programs(run);
  const loaded = new Loaded(cwd);
  const sources = new Map<string, CaseSource>();
  for (const suite of run.suites) {
    const text = unchangedText(suite, cwd);
    if (text === undefined) continue;
    const cases = await loaded.casesOf(suite);
    for (const { plan } of suite.cases) {
      const steps = caseText(text, plan.line);
      const testCase = cases.get(plan.id);
      sources.set(plan.id, {
        ...(steps === undefined ? {} : { steps: { text: steps, line: plan.line } }),
        programs: testCase ? programs.of(testCase) : [],
      });
    }
  }
  return sources;
}

/** The file of a suite in the log: those of the package are relative to it. */
const pathOf = ({ file }: SuiteRun, cwd: string): string =>
  isOfPackage(file) ? packagePath(file) : resolve(cwd, file);

const isOfPackage = (file: string): boolean => /^suites\/(?:[\w-]+\/)*[\w-]+\.yaml$/.test(file);

function unchangedText(suite: SuiteRun, cwd: string): string | undefined {
  if (!suite.file.endsWith('.yaml')) return undefined;
  try {
    const text = readTextFile(pathOf(suite, cwd));
    return createHash('sha256').update(text).digest('hex') === suite.sha256 ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The suites of the package, read once, and others, each alone. */
class Loaded {
  #package: Promise<LoadedSuite[]> | undefined;
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  async casesOf(suite: SuiteRun): Promise<ReadonlyMap<string, Case>> {
    const suites = await (isOfPackage(suite.file) ? this.#ofPackage() : this.#alone(pathOf(suite, this.#cwd)));
    return new Map(suites.find(({ id }) => id === suite.suite)?.cases.map((testCase) => [testCase.id, testCase]));
  }

  #ofPackage(): Promise<LoadedSuite[]> {
    this.#package ??= loadAllSuites();
    return this.#package;
  }

  async #alone(path: string): Promise<LoadedSuite[]> {
    const { readSuites } = await import('../suite/load.ts');
    try {
      return readSuites([path]).suites;
    } catch {
      // The catalogue beside it has an error.
      return [];
    }
  }
}

/** The programs of cases, each read once. */
class Programs {
  readonly #read = new Map<string, ProgramSource | undefined>();
  /** The version of the tool has the committed programs. */
  readonly #sameTool: boolean;
  /** Files of the user have no digest in the log: they are those of the run if they are older. */
  readonly #startedAt: number;

  constructor({ header }: Run) {
    this.#sameTool = header?.tool.version === TOOL.version;
    this.#startedAt = Date.parse(header?.startedAt ?? '');
  }

  of(testCase: Case): ProgramSource[] {
    const names = namesIn(testCase.steps).map((name) =>
      isProgramFile(name) ? resolve(dirname(testCase.file), name) : name,
    );
    return [...new Set(names)].flatMap((name) => {
      if (!this.#read.has(name)) this.#read.set(name, this.#source(name));
      return this.#read.get(name) ?? [];
    });
  }

  /** Undefined if it has no text, is not there, or may be another one than in the run. */
  #source(name: string): ProgramSource | undefined {
    try {
      if (!isProgramFile(name)) return this.#sameTool ? { name, ...shortened(loadProgram(name).text()) } : undefined;
      if (!(statSync(name).mtimeMs < this.#startedAt)) return undefined;
      return { name: basename(name), ...shortened(readTextFile(name)) };
    } catch {
      return undefined;
    }
  }
}

function namesIn(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    if (step.verb === 'compile') return step.program ?? [];
    if (step.verb === 'program') return step.name;
    if (step.verb === 'probe') return typeof step.with?.program === 'string' ? step.with.program : [];
    return 'steps' in step && step.steps ? namesIn(step.steps) : [];
  });
}

function shortened(text: string): Pick<ProgramSource, 'text' | 'omittedLines'> {
  if (text.length <= PROGRAM_UNITS) return { text: text.trimEnd() };
  const shown = text.slice(0, text.lastIndexOf('\n', PROGRAM_UNITS) + 1 || PROGRAM_UNITS);
  return { text: shown.trimEnd(), omittedLines: text.split('\n').length - shown.split('\n').length };
}

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { packagePath } from '../../base/paths.ts';
import { readTextFile } from '../../base/text-file.ts';
import { TOOL } from '../../base/tool.ts';
import { isProgramFile } from '../../knowledge/programs/program-file.ts';
import { loadProgram } from '../../knowledge/programs/programs.ts';
import { type CaseRun, type Run, type SuiteRun, statusOf } from '../../model/run.ts';
import type { CaseSource, ProgramSource } from '../../report/case-source.ts';
import { caseText } from '../../suite/case-text.ts';
import type { LoadedSuite } from '../../suite/load.ts';
import type { Case, Step } from '../../suite/types.ts';
import { loadAllSuites } from './load-suites.ts';

/** Characters of a program that are shown. */
const PROGRAM_UNITS = 1 << 16;
/** Characters of all programs together, after which no more are shown: about 2 MB of a report. */
const ALL_UNITS = 1 << 24;
/** The same for programs of the user that passed. */
const PASSED_UNITS = 1 << 21;

/**
 * What the cases of a run are made of, as far as the files of their suites are still those of the run: their digest is in the
 * log. Never throws: a report is not worth less where a file is gone.
 * @param cwd base of relative paths in the log
 */
export async function caseSources(run: Run, cwd: string): Promise<Map<string, CaseSource>> {
  const programs = new Programs(run);
  const loaded = new Loaded();
  const sources = new Map<string, CaseSource>();
  for (const suite of run.suites) {
    const file = unchangedFile(suite, cwd);
    if (!file) {
      // Those that did not pass come first: there is not room for all of a large collection.
      for (const item of [...suite.cases.filter(didNotPass), ...suite.cases.filter((one) => !didNotPass(one))]) {
        const { id, file: own } = item.plan;
        if (own === undefined || !isProgramFile(own)) continue;
        sources.set(id, { programs: programs.read([resolve(cwd, own)], didNotPass(item) ? ALL_UNITS : PASSED_UNITS) });
      }
      continue;
    }
    const cases = await loaded.casesOf(suite.suite, file);
    for (const { plan } of suite.cases) {
      const steps = caseText(file.text, plan.line);
      const testCase = cases.get(plan.id);
      sources.set(plan.id, {
        ...(steps === undefined ? {} : { steps: { text: steps, line: plan.line } }),
        programs: testCase ? programs.of(testCase) : [],
      });
    }
  }
  return sources;
}

const didNotPass = (item: CaseRun): boolean => statusOf(item) !== 'pass';

interface SuiteFile {
  path: string;
  text: string;
  ofPackage: boolean;
}

/** The file that a log names, relative to the package or to the working directory: the one that has the digest of the run. */
function unchangedFile({ file, sha256 }: SuiteRun, cwd: string): SuiteFile | undefined {
  if (!file.endsWith('.yaml')) return undefined;
  const places = [resolve(cwd, file)];
  if (/^suites\/(?:[\w-]+\/)*[\w-]+\.yaml$/.test(file)) places.unshift(packagePath(file));
  for (const path of places) {
    const text = textOf(path);
    if (text !== undefined && createHash('sha256').update(text).digest('hex') === sha256) {
      return { path, text, ofPackage: path === packagePath(file) };
    }
  }
  return undefined;
}

function textOf(path: string): string | undefined {
  try {
    return readTextFile(path);
  } catch {
    return undefined;
  }
}

/** The suites of the package, read once, and others, each alone. */
class Loaded {
  #package: Promise<LoadedSuite[]> | undefined;

  async casesOf(name: string, { path, ofPackage }: SuiteFile): Promise<ReadonlyMap<string, Case>> {
    const suites = await (ofPackage ? this.#ofPackage() : this.#alone(path));
    return new Map(suites.find(({ id }) => id === name)?.cases.map((testCase) => [testCase.id, testCase]));
  }

  #ofPackage(): Promise<LoadedSuite[]> {
    this.#package ??= loadAllSuites();
    return this.#package;
  }

  async #alone(path: string): Promise<LoadedSuite[]> {
    const { readSuites } = await import('../../suite/load.ts');
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
  /** Characters so far. */
  #units = 0;

  constructor({ header }: Run) {
    this.#sameTool = header?.tool.version === TOOL.version;
    this.#startedAt = Date.parse(header?.startedAt ?? '');
  }

  of(testCase: Case): ProgramSource[] {
    const names = namesIn(testCase.steps).map((name) =>
      isProgramFile(name) ? resolve(dirname(testCase.file), name) : name,
    );
    return this.read(names);
  }

  /**
   * @param names of committed programs, or absolute paths
   * @param limit characters of all programs so far from which on no more are read
   */
  read(names: readonly string[], limit = ALL_UNITS): ProgramSource[] {
    return [...new Set(names)].flatMap((name) => {
      if (!this.#read.has(name)) this.#read.set(name, this.#units < limit ? this.#source(name) : undefined);
      return this.#read.get(name) ?? [];
    });
  }

  /** Undefined if it has no text, is not there, or may not be that of the run. */
  #source(name: string): ProgramSource | undefined {
    const text = this.#text(name);
    if (text === undefined) return undefined;
    const shown = shortened(text);
    this.#units += shown.text.length;
    return { name: isProgramFile(name) ? basename(name) : name, ...shown };
  }

  #text(name: string): string | undefined {
    try {
      if (!isProgramFile(name)) return this.#sameTool ? loadProgram(name).text() : undefined;
      return statSync(name).mtimeMs < this.#startedAt ? readTextFile(name) : undefined;
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

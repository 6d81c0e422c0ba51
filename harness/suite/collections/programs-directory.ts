/** A directory of programs as suites: one case for each program, one suite for each directory. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProgramError } from '../../knowledge/programs/program.ts';
import { readProgramFile } from '../../knowledge/programs/program-file.ts';
import type { LoadedSuite } from '../load.ts';
import { fileProblem, type SuiteProblem, throwIfAny } from '../problem.ts';
import type { Case } from '../types.ts';
import { programArrays } from './program-arrays.ts';
import { programCase } from './program-case.ts';
import { placed } from './program-devices.ts';
import { type ProgramFiles, programFiles } from './program-files.ts';
import { type ProgramSettings, programSettings } from './program-settings.ts';

/** The suites of a directory. @throws SuiteError with every problem of every file */
export async function programsDirectory(
  { directory, seed = 0, oracle, convert }: { directory: string; seed?: number; oracle?: string; convert?: true },
  cwd: string,
): Promise<LoadedSuite[]> {
  const { programs, problems } = programFiles(directory, cwd);
  const suites = new Map<string, LoadedSuite & { hash: ReturnType<typeof createHash> }>();
  for (const files of programs) {
    const id = ['programs', ...files.below].join('/');
    const suite = suites.get(id) ?? {
      id,
      file: [directory, ...files.below].join('/'),
      description: `Programs of ${[directory, ...files.below].join('/')}`,
      cases: [],
      hash: createHash('sha256'),
    };
    suites.set(id, suite);
    const testCase = await caseOf(
      files,
      id,
      { seed, convert: convert === true, judgedByOracle: oracle !== undefined },
      cwd,
      problems,
    );
    if (!testCase) continue;
    suite.cases.push(testCase);
    suite.hash.update(`${files.name}\0`).update(readFileSync(resolve(cwd, files.program)));
  }
  throwIfAny(problems);
  return [...suites.values()].map(({ hash, ...suite }) => ({ ...suite, sha256: hash.digest('hex') }));
}

async function caseOf(
  files: ProgramFiles,
  suite: string,
  how: { seed: number; convert: boolean; judgedByOracle: boolean },
  cwd: string,
  problems: SuiteProblem[],
): Promise<Case | undefined> {
  const before = problems.length;
  const settings = programSettings(files.settings, cwd, problems);
  const read = readProgram(files.program, cwd, settings, problems);
  if (!read) return undefined;
  const { program, devices } = read;
  const side = (of: 'inputs' | 'outputs') =>
    programArrays(of, files[of], program[of], {
      program: files.program,
      rows: devices?.rows ?? 1,
      convert: how.convert,
      cwd,
    });
  const [given, expected] = [await side('inputs'), await side('outputs')];
  problems.push(...given.problems, ...expected.problems);
  if (settings.pieces && !given.arrays && program.inputs.length > 0 && problems.length === before)
    problems.push(
      fileProblem(files.program, 'pieces: there are no files of its parameters', {
        help: 'inputs are generated for whole arrays only',
      }),
    );
  if (problems.length > before) return undefined;
  const [inputs, outputs] = [given.arrays, expected.arrays];
  const converted = [...(given.converted ?? []), ...(expected.converted ?? [])];
  return programCase({ suite, files, program, devices, inputs, outputs, converted, settings, ...how });
}

/** A program and its devices, if it can be run by itself. */
function readProgram(
  file: string,
  cwd: string,
  settings: ProgramSettings,
  problems: SuiteProblem[],
): ReturnType<typeof placed> | undefined {
  const path = resolve(cwd, file);
  try {
    const program = readProgramFile(path);
    if (!program.unfit) return placed(program, settings);
    const { message, help } = program.unfit;
    problems.push(fileProblem(file, message, help === undefined ? {} : { help }));
    return undefined;
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    const { message } = error;
    const [, line, column, rest] = /^:(\d+):(\d+): ([\s\S]*)$/.exec(message.replace(path, '')) ?? [];
    const position = line === undefined ? undefined : { line: Number(line), column: Number(column) };
    const { help } = error;
    problems.push(
      fileProblem(file, rest ?? message.replace(`${path}: `, ''), {
        position,
        ...(help === undefined ? {} : { help }),
      }),
    );
    return undefined;
  }
}

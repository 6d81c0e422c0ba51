/** What is wrong with the programs and arrays in files that suites name, found before a plugin is loaded. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemReason } from '../../base/system-reason.ts';
import { arrayFileFacts } from '../../knowledge/arrays/array-file.ts';
import { ArrayFileError } from '../../knowledge/arrays/array-file-error.ts';
import { ProgramError } from '../../knowledge/programs/program.ts';
import { isProgramFile, readProgramFile } from '../../knowledge/programs/program-file.ts';
import { RecordedModuleError } from '../../knowledge/recorded/mlir-text.ts';
import { readRecorded } from '../../knowledge/recorded/module.ts';
import { fileData } from '../../suite/file-data.ts';
import { PROBES } from '../../suite/probe-description.ts';
import { fileProblem, type SuiteProblem } from '../../suite/problem.ts';
import type { Case, Step } from '../../suite/types.ts';

/** Reads every program, and the beginning of every array. @param cwd base of the paths of suites */
export async function fileProblems(cases: readonly Case[], cwd: string): Promise<SuiteProblem[]> {
  const problems = new Map<string, SuiteProblem>();
  for (const { file, steps } of cases) {
    const directory = resolve(cwd, dirname(file));
    for (const step of allSteps(steps)) {
      const message =
        programProblem(step, directory) ?? recordedProblem(step, directory) ?? (await arrayProblem(step, directory));
      if (message === undefined) continue;
      const position = { line: step.line, column: 1 };
      problems.set(`${file}:${step.line}: ${message}`, fileProblem(file, message, { position }));
    }
  }
  return [...problems.values()];
}

const allSteps = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => [step, ...('steps' in step ? allSteps(step.steps ?? []) : [])]);

function programProblem(step: Step, directory: string): string | undefined {
  // A case may be about a program that must be refused.
  if ('error' in step && step.error !== undefined) return undefined;
  try {
    for (const name of programsOf(step).filter(isProgramFile)) readProgramFile(resolve(directory, name));
    return undefined;
  } catch (error) {
    if (error instanceof ProgramError) return error.message;
    throw error;
  }
}

function programsOf(step: Step): string[] {
  if (step.verb === 'program') return [step.name];
  if (step.verb === 'compile') return step.program === undefined ? [] : [step.program];
  if (step.verb !== 'probe') return [];
  const options = Object.entries(PROBES.get(step.name)?.with ?? {}).filter(([, { is }]) => is === 'program');
  return options.flatMap(([option]) => (typeof step.with?.[option] === 'string' ? [step.with[option]] : []));
}

function recordedProblem(step: Step, directory: string): string | undefined {
  if (step.verb !== 'recorded') return undefined;
  const file = resolve(directory, step.path);
  try {
    readRecorded(readFileSync(file, 'utf8'), file, step);
    return undefined;
  } catch (error) {
    if (error instanceof RecordedModuleError) return error.message;
    return `${file}: cannot be read: ${systemReason(error)}`;
  }
}

async function arrayProblem(step: Step, directory: string): Promise<string | undefined> {
  const { steps: _, ...own } = { steps: undefined, ...step };
  for (const { file } of fileData([own as Step])) {
    try {
      await arrayFileFacts({ ...file, path: resolve(directory, file.path) });
    } catch (error) {
      if (error instanceof ArrayFileError) return error.message;
      throw error;
    }
  }
  return undefined;
}

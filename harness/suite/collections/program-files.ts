/** The files of a directory of programs, by the convention of their names (docs/own-programs.md). */
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { systemReason } from '../../base/system-reason.ts';
import { fileProblem, type SuiteProblem } from '../problem.ts';

/** A program and the files that belong to it. Paths are relative to the working directory of the command, as it was given. */
export interface ProgramFiles {
  /** The common beginning of the names. */
  name: string;
  /** Subdirectories between the directory of the command and these files. */
  below: string[];
  program: string;
  /** Files of inputs and outputs: an archive, or a file for each array by its number. */
  inputs: ArrayFiles;
  outputs: ArrayFiles;
  settings?: string;
}

/** Where the arrays of one side are. */
export interface ArrayFiles {
  archive?: string;
  single: Map<number, string>;
}

/** Suffixes of programs, the preferred form first: an artifact is what frameworks send. */
const PROGRAMS = ['.mlirbc', '.mlir.bc', '.mlir'] as const;
const SIDE = /^(?<name>.+)\.(?:(?<side>inputs|outputs)\.npz|(?<one>arg|out)(?<number>\d+)\.(?:npy|bin))$/;
const NAME = /^[\w.+-]+$/;

/**
 * Groups the files of a directory and of those below it, or those of a single program. Files that belong to no program are a
 * problem: they may be misnamed.
 */
export function programFiles(place: string, cwd: string): { programs: ProgramFiles[]; problems: SuiteProblem[] } {
  const problems: SuiteProblem[] = [];
  const one = PROGRAMS.find(
    (end) => place.endsWith(end) && statSync(resolve(cwd, place), { throwIfNoEntry: false })?.isFile(),
  );
  const directory = one === undefined ? place : dirname(place);
  const all = filesBelow(directory, cwd, [], one === undefined ? problems : []);
  const programs = all.filter(({ name, below }) => {
    return one === undefined || (below.length === 0 && name === basename(place, one));
  });
  if (programs.length === 0 && problems.length === 0) {
    const expected =
      'files NAME.mlir (StableHLO text) or NAME.mlirbc (a portable artifact), with NAME.inputs.npz and NAME.outputs.npz';
    const help = 'docs/own-programs.md has a snippet that writes them from JAX and PyTorch';
    problems.push(fileProblem(place, 'no program found', { expected, help }));
  }
  return { programs, problems };
}

function filesBelow(directory: string, cwd: string, below: string[], problems: SuiteProblem[]): ProgramFiles[] {
  let entries: { name: string; isDirectory(): boolean }[];
  try {
    entries = readdirSync(resolve(cwd, directory), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const expected = 'a directory of programs';
    problems.push(fileProblem(directory, `cannot be read: ${systemReason(error)}`, { expected }));
    return [];
  }
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const programs = new Map<string, ProgramFiles>();
  const rest: string[] = [];
  for (const file of names) {
    const suffix = PROGRAMS.find((end) => file.endsWith(end));
    if (suffix === undefined) {
      rest.push(file);
      continue;
    }
    const name = file.slice(0, -suffix.length);
    const known = programs.get(name);
    if (!NAME.test(name)) {
      const message = 'the name of a program has letters, digits and . _ + - only';
      problems.push(fileProblem(join(directory, file), message, { help: 'rename it' }));
    } else if (!known || rank(suffix) < rank(known.program)) {
      const own = { inputs: { single: new Map() }, outputs: { single: new Map() } };
      programs.set(name, { name, below, program: join(directory, file), ...own });
    }
  }
  for (const file of rest) assign(file);
  const inner = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) => filesBelow(join(directory, name), cwd, [...below, name], problems));
  return [...programs.values(), ...inner];

  function assign(file: string): void {
    const path = join(directory, file);
    const { name, side, one, number } = SIDE.exec(file)?.groups ?? {};
    const settings = file.endsWith('.yaml') ? programs.get(file.slice(0, -'.yaml'.length)) : undefined;
    const program = name === undefined ? settings : programs.get(name);
    if (program && settings) program.settings = path;
    else if (program && side !== undefined) program[side as 'inputs' | 'outputs'].archive = path;
    else if (program && one !== undefined)
      program[one === 'arg' ? 'inputs' : 'outputs'].single.set(Number(number), path);
    else if (/\.(np[yz]|bin)$/.test(file)) {
      const message =
        name === undefined ? 'belongs to no program' : `there is no program ${name}.mlir or ${name}.mlirbc`;
      const expected =
        'NAME.inputs.npz, NAME.outputs.npz, NAME.arg0.npy or NAME.out0.npy beside NAME.mlir or NAME.mlirbc';
      problems.push(fileProblem(path, message, { expected }));
    }
  }
}

const rank = (path: string): number => PROGRAMS.findIndex((suffix) => path.endsWith(suffix));

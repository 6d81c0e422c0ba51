/** Which array of which file is which parameter or result of a program, checked against its signature. */
import { resolve } from 'node:path';
import { type ArrayFile, arrayFileFacts, readArrayFile } from '../../knowledge/arrays/array-file.ts';
import { ArrayFileError } from '../../knowledge/arrays/array-file-error.ts';
import { Npz } from '../../knowledge/arrays/npz.ts';
import type { FileData } from '../../knowledge/numerics/data.ts';
import type { TensorType } from '../../knowledge/programs/program.ts';
import { fileProblem, type SuiteProblem } from '../problem.ts';
import type { ArrayFiles } from './program-files.ts';

/** The two sides of a program: how its arrays are called in files and in messages. */
const SIDES = {
  inputs: { prefix: 'arg', what: 'parameter' },
  outputs: { prefix: 'out', what: 'result' },
} as const;

/**
 * The arrays of one side, in order; undefined if there are no files for it.
 * @param types the signature of the program: what each array must be; with several rows also one for each, in a first dimension
 */
export async function programArrays(
  side: keyof typeof SIDES,
  files: ArrayFiles,
  types: readonly TensorType[],
  { program, rows, convert, cwd }: { program: string; rows: number; convert: boolean; cwd: string },
): Promise<{ arrays?: FileData[]; converted?: string[]; problems: SuiteProblem[] }> {
  const { prefix, what } = SIDES[side];
  const { archive, single } = files;
  if (archive === undefined && single.size === 0) return { problems: [] };
  const problems: SuiteProblem[] = [];
  const problem = (file: string, message: string, help?: string): void => {
    problems.push(fileProblem(file, message, help === undefined ? {} : { help }));
  };
  const names = archive === undefined ? undefined : await namesIn(archive, cwd, problem);
  if (archive !== undefined && !names) return { problems };
  // numpy.savez gives arrays without a keyword these names.
  const own = names?.some((name) => name.startsWith(prefix)) ? prefix : 'arr_';
  const found = types.map((type, i): ArrayFile | undefined => {
    const { dtype, shape } = type;
    const alone = single.get(i);
    if (alone !== undefined) return { path: alone, dtype, shape };
    return names?.includes(`${own}${i}`) ? { path: archive!, array: `${own}${i}`, dtype, shape } : undefined;
  });
  const missing = found.flatMap((file, i) => (file ? [] : [i]));
  if (missing.length > 0) {
    const list = missing.map((i) => `${prefix}${i}`).join(', ');
    const have = names ? `; it has ${names.join(', ') || 'none'}` : '';
    const needs = `${program} has ${types.length} ${what}${types.length === 1 ? '' : 's'}`;
    problem(
      archive ?? program,
      `${list} missing: ${needs}${have}`,
      `name them ${prefix}0, ${prefix}1, … in their order`,
    );
  }
  const surplus = [
    ...(names ?? []).filter((name) => !types.some((_, i) => name === `${own}${i}`)),
    ...[...single.keys()].filter((i) => i >= types.length).map((i) => `${prefix}${i}`),
  ];
  if (surplus.length > 0) {
    problem(archive ?? program, `${surplus.join(', ')}: ${program} has no such ${what}; it has ${types.length}`);
  }
  const converted: string[] = [];
  for (const [i, file] of found.entries()) {
    if (!file) continue;
    const path = resolve(cwd, file.path);
    try {
      if (rows > 1 && (await fits({ ...file, path }, rows))) file.shape = [rows, ...file.shape!];
      const held = await typeToConvert({ ...file, path });
      if (held === undefined) continue;
      if (!convert) {
        problem(file.path, held.message, '--convert converts it, where no value is lost beyond rounding');
        continue;
      }
      file.convert = true;
      await readArrayFile({ ...file, path });
      converted.push(`${prefix}${i} from ${held.type}`);
    } catch (error) {
      if (!(error instanceof ArrayFileError)) throw error;
      problem(file.path, error.message.replaceAll(path, '').replace(/^(, |: )/, ''));
    }
  }
  if (problems.length > 0) return { problems };
  return {
    converted,
    arrays: found.map((file) => ({ file: { ...file!, path: resolve(cwd, file!.path), shape: [...file!.shape!] } })),
    problems,
  };
}

/** The element type of an array that is right but for that, and the message that says so. */
async function typeToConvert(file: ArrayFile): Promise<{ type: string; message: string } | undefined> {
  try {
    await arrayFileFacts(file);
    return undefined;
  } catch (error) {
    if (!(error instanceof ArrayFileError) || error.held === undefined) throw error;
    return { type: error.held, message: error.message.replace(file.path, '').replace(/^(, |: )/, '') };
  }
}

/** Whether the array has a first dimension for the replicas or devices. */
async function fits(file: ArrayFile, rows: number): Promise<boolean> {
  try {
    await arrayFileFacts({ ...file, shape: [rows, ...file.shape!], convert: true });
    return true;
  } catch (error) {
    if (!(error instanceof ArrayFileError)) throw error;
    return false;
  }
}

async function namesIn(
  archive: string,
  cwd: string,
  problem: (file: string, message: string) => void,
): Promise<string[] | undefined> {
  try {
    const npz = await Npz.open(resolve(cwd, archive), archive);
    npz.close();
    return npz.names;
  } catch (error) {
    if (!(error instanceof ArrayFileError)) throw error;
    problem(archive, error.message.slice(archive.length + 2));
    return undefined;
  }
}

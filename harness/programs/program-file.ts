/** Programs of the user: a file of StableHLO text (.mlir), or a portable artifact (.mlirbc). */
import { readFileSync } from 'node:fs';
import { type Program, ProgramError } from './program.ts';
import { signatureOf } from './signature.ts';
import { checkOps } from './stablehlo-ops.ts';

const SUFFIX = /\.mlir(bc|\.bc)?$/;

/** Whether a suite names a file, not a committed program: these have no suffix. */
export const isProgramFile = (name: string): boolean => SUFFIX.test(name);

/** The steps of a case ask for the same program several times; a collection of them may be larger than the memory. */
let last: Program | undefined;

/** Reads a program. @param path absolute @throws ProgramError */
export function readProgramFile(path: string): Program {
  if (last?.file !== path) last = toProgram(path);
  return last;
}

function toProgram(path: string): Program {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new ProgramError(`${path}: cannot be read: ${(error as Error).message}`);
  }
  const { inputs, outputs, version, ops, dtypes, replicas = 1, partitions = 1 } = signatureOf(bytes, path);
  const isText = version === undefined;
  if (isText) checkOps(new TextDecoder().decode(bytes), path);
  return {
    name: path,
    about: 'a program of the user',
    bad: false,
    file: path,
    inputs,
    outputs,
    needs: { ops, dtypes },
    replicas,
    partitions,
    artifacts: version === undefined ? [] : [{ version, file: path }],
    bytes: () => bytes,
    text: () => {
      if (!isText) throw new ProgramError(`${path} is an artifact, not StableHLO text`);
      return new TextDecoder().decode(bytes);
    },
    artifact: (wanted) => {
      if (wanted === version) return bytes;
      throw new ProgramError(
        `${path} has no artifact at StableHLO ${wanted}: ${version === undefined ? 'it is text' : `it is one at ${version}`}`,
      );
    },
  };
}

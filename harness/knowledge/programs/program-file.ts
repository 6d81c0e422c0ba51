/** Programs of the user: a file of StableHLO text (.mlir), or a portable artifact (.mlirbc). */
import { existsSync, readFileSync } from 'node:fs';
import { systemReason } from '../../base/system-reason.ts';
import { DTYPES } from '../numerics/dtypes.ts';
import { type Program, ProgramError, type TensorType } from './program.ts';
import { type Signature, signatureOf } from './signature.ts';
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
    throw new ProgramError(`${path}: cannot be read: ${systemReason(error)}`);
  }
  const signature = signatureOf(bytes, path);
  const { inputs, outputs, version, ops, dtypes, dynamic, replicas = 1, partitions, shardings } = signature;
  const beside = version === undefined ? { text: bytes, shardings } : textBeside(path, { inputs, outputs });
  const text = beside?.text;
  if (version === undefined) checkOps(new TextDecoder().decode(bytes), path);
  return {
    name: path,
    about: 'a program of the user',
    bad: false,
    file: path,
    inputs,
    outputs,
    needs: { ops, dtypes, dynamic },
    replicas,
    partitions,
    unfit: unfitness(signature),
    shardings: beside?.shardings,
    artifacts: version === undefined ? [] : [{ version, file: path }],
    bytes: () => bytes,
    hasText: text !== undefined,
    text: () => {
      if (!text) throw new ProgramError(`${path} is an artifact, and there is no text of it beside it`);
      return new TextDecoder().decode(text);
    },
    artifact: (wanted) => {
      if (wanted === version) return bytes;
      throw new ProgramError(
        `${path} has no artifact at StableHLO ${wanted}: ${version === undefined ? 'it is text' : `it is one at ${version}`}`,
      );
    },
  };
}

/** What keeps a program from being run by itself, whatever the plugin. */
function unfitness({ entry, inputs, outputs }: Signature): Program['unfit'] {
  if (entry !== 'main') {
    return {
      message: `it has no function @main, which is what plugins run; its public function is @${entry}`,
      help: 'rename it',
    };
  }
  const named = [
    ...inputs.map((value, i) => [`parameter ${i}`, value] as const),
    ...outputs.map((value, i) => [`result ${i}`, value] as const),
  ];
  const [name, value] =
    named.find(([, { special, dtype }]) => special !== undefined || !DTYPES.some(({ name: own }) => own === dtype)) ??
    [];
  if (!value) return undefined;
  return value.special === 'dynamic' || value.special === 'unranked'
    ? {
        message: `${name} is ${value.mlir}: plugins compile arrays of fixed size`,
        help: 'lower the program for concrete shapes',
      }
    : { message: `${name} is ${value.mlir}, which is no array that a file could hold` };
}

/** The text of an artifact: the file of the same name with `.mlir`. @throws ProgramError if it is another program */
function textBeside(
  path: string,
  artifact: Pick<Program, 'inputs' | 'outputs'>,
): (Pick<Program, 'shardings'> & { text: Uint8Array }) | undefined {
  const file = path.replace(SUFFIX, '.mlir');
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file);
  const { inputs, outputs, shardings } = signatureOf(text, file);
  const types = (all: readonly TensorType[]) => all.map(({ dtype, shape }) => `${dtype}[${shape}]`).join(', ');
  const signature = (of: Pick<Program, 'inputs' | 'outputs'>) => `(${types(of.inputs)}) -> (${types(of.outputs)})`;
  if (signature({ inputs, outputs }) === signature(artifact)) return { text, shardings };
  throw new ProgramError(
    `${file} is not the program of ${path}: it is ${signature({ inputs, outputs })}, the artifact ${signature(artifact)}`,
  );
}

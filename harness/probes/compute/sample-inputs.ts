import { elementCount, type HostArray } from '../../numerics/array.ts';
import { generate } from '../../numerics/generate.ts';
import { loadProgram } from '../../programs/programs.ts';
import { programInputs } from '../../steps/program.ts';

/** Inputs of the right types and shapes for a committed program, a different one for each parameter. */
export function sampleInputs(program: string): HostArray[] {
  return programInputs(loadProgram(program));
}

/** The same value everywhere. */
export const filled = (dtype: string, shape: readonly number[], value: number): HostArray =>
  generate({ fill: { dtype, shape: [...shape], value } }, noReference);

/** A vector of f32 with these values. */
export const floats = (of: readonly number[]): HostArray =>
  generate({ values: { dtype: 'f32', shape: [of.length], of: [...of] } }, noReference);

export const bytesOf = (array: HostArray): number => elementCount(array.shape) * array.dtype.hostBytes;

function noReference(): never {
  throw new Error('no reference to resolve');
}

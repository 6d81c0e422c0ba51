import { fromBytes, type HostArray } from '../../../knowledge/numerics/array.ts';
import { compareArrays } from '../../../knowledge/numerics/compare.ts';
import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import { generate } from '../../../knowledge/numerics/generate.ts';
import type { Finding } from '../../../model/finding.ts';
import { POISON } from '../../pjrt/buffer.ts';
import { mismatchText } from '../../steps/judge-numbers.ts';
import { CheckFailure } from '../../steps/outcome.ts';

/**
 * Ends the case: a check of the probe does not hold.
 * @param more the type of the finding, or more of it
 */
export function violated(
  message: string,
  call: string,
  requirement?: string,
  more: string | Partial<Pick<Finding, 'type' | 'detail' | 'where' | 'numbers'>> = {},
): never {
  throw new CheckFailure({
    type: 'pjrt.AssertionFailed',
    message,
    call,
    ...(requirement === undefined ? {} : { requirements: [requirement] }),
    ...(typeof more === 'string' ? { type: more } : more),
  });
}

/** Ends the case when two arrays differ. */
export function same(what: string, expected: HostArray, actual: HostArray, call: string, requirement?: string): void {
  const comparison = compareArrays(expected, actual, 'bits', { poison: POISON });
  if (comparison.ok) return;
  const { message, ...more } = mismatchText(what, comparison);
  violated(message, call, requirement, { type: 'pjrt.NumericMismatch', ...more });
}

/** Small integers without a period, exact in every type, other ones for each seed. */
export const hashed = (dtype: string, shape: readonly number[], seed = 1): HostArray =>
  generate({ hash: { dtype, shape: [...shape], seed } });

/** The same value everywhere. */
export const filled = (dtype: string, shape: readonly number[], value: number): HostArray =>
  generate({ fill: { dtype, shape: [...shape], value } });

/** Bytes of device memory, to be compared. */
export const bytesAsArray = (bytes: Uint8Array): HostArray => fromBytes(dtype('u8'), [bytes.length], bytes);

/** A vector of f32 with these values. */
export const floats = (of: readonly number[]): HostArray =>
  generate({ values: { dtype: 'f32', shape: [of.length], of: [...of] } });

/** The f32 array whose elements a function makes of those of others. */
export function elementwise(of: (...elements: number[]) => number, ...arrays: readonly HostArray[]): HostArray {
  const [first, ...others] = arrays.map(({ bytes }) => new Float32Array(bytes.slice().buffer));
  const values = first!.map((element, i) => of(element, ...others.map((one) => one[i]!)));
  return fromBytes(dtype('f32'), arrays[0]!.shape, new Uint8Array(values.buffer));
}

import { alloc, type HostArray, reader, writer } from '../../numerics/array.ts';
import { contractionBound } from '../../numerics/bounds.ts';
import { decode, encode } from '../../numerics/codec.ts';
import { type DType, dtype } from '../../numerics/dtypes.ts';
import { loadProgram } from '../../programs/programs.ts';
import { compileProgram } from '../../steps/compile.ts';
import { judgeNumbers } from '../../steps/judge-numbers.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { runOnce } from './sample-run.ts';

/** Unit roundoff of a type: half a step at 1. */
const unit = (type: DType): number => 2 ** -(type.float!.mantissa + 1);

/**
 * A product of matrices [M,K] and [K,N] with full mantissas against the a-priori bound of a sum in f32, whatever its
 * order: K units of f32 times the sum of magnitudes of the products, and one rounding to the type of the result.
 * `operands: bf16` also allows operands rounded to bf16 first. With K up to 128 the bound distinguishes f32 from TF32. The accuracy
 * profile says how many times the bound is allowed.
 */
export const dotPrecision: Probe = (context, options) => {
  const program = loadProgram(String(options.program));
  const [left, right] = program.inputs.map((input, i) => spread(dtype(input.dtype), input.shape, i + 1));
  const [m, k] = left!.shape as [number, number];
  const n = right!.shape[1]!;
  const a = values(left!);
  const b = values(right!);
  const out = dtype(program.outputs[0]!.dtype);
  const expected = alloc(out, [m, n]);
  const write = writer(expected);
  const atol = new Float64Array(m * n);
  const slack = options.operands === 'bf16' ? 2 * unit(dtype('bf16')) + unit(dtype('bf16')) ** 2 : 0;
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      let magnitude = 0;
      // Products of two f32 are exact in f64, and its sums err by 2^-29 of what the bound allows.
      for (let t = 0; t < k; t++) {
        const product = a[i * k + t]! * b[t * n + j]!;
        sum += product;
        magnitude += Math.abs(product);
      }
      write(i * n + j, encode(out, sum));
      // Twice the last term: the reference is rounded to the type too.
      atol[i * n + j] = magnitude * (k * unit(dtype('f32')) + slack) + 2 * unit(out) * Math.abs(sum);
    }
  }
  const [output] = runOnce(context, compileProgram(context, program.name), [left!, right!]);
  judgeNumbers(context, {
    what: 'output',
    subject: `${program.name} is less accurate than sums in f32 are`,
    expected,
    actual: fetchArray(context, output!),
    rules: (profile) => {
      const { factor, source } = contractionBound(profile);
      return { policy: { ulp: 0, source }, options: { bounds: { atol: atol.map((x) => factor * x) } } };
    },
  });
};

/** Numbers of either sign between 1/2 and 2 with all digits in use, the same on every run. */
function spread(type: DType, shape: readonly number[], seed: number): HostArray {
  const array = alloc(type, shape);
  const write = writer(array);
  const count = shape.reduce((x, y) => x * y, 1);
  for (let i = 0; i < count; i++) {
    // The fractions of multiples of the golden ratio are spread evenly and have no short period.
    const fraction = ((i + seed * 1009) * 0.6180339887498949) % 1;
    write(i, encode(type, (i * seed) % 3 === 0 ? -(0.5 + 1.5 * fraction) : 0.5 + 1.5 * fraction));
  }
  return array;
}

function values(array: HostArray): number[] {
  const read = reader(array);
  return Array.from(
    { length: array.shape.reduce((x, y) => x * y, 1) },
    (_, i) => decode(array.dtype, read(i)) as number,
  );
}

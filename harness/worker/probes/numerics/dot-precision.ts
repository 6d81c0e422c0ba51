import { alloc, type HostArray, reader, writer } from '../../../knowledge/numerics/array.ts';
import { contractionBound } from '../../../knowledge/numerics/bounds.ts';
import { decode, encode } from '../../../knowledge/numerics/codec.ts';
import { type DType, dtype } from '../../../knowledge/numerics/dtypes.ts';
import { loadProgram } from '../../../knowledge/programs/programs.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { judgeNumbers } from '../../steps/judge-numbers.ts';
import { refusal } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { number, optional, probe, program, text } from '../probe.ts';
import { runOnce } from '../support/sample-run.ts';

/** Unit roundoff of a type: half a step at 1. */
const unit = (type: DType): number => 2 ** -(type.float!.mantissa + 1);

/**
 * A product of matrices [M,K] and [K,N] with full mantissas against the a-priori bound of a sum in f32, whatever its
 * order: K units of f32 times the sum of magnitudes of the products, and one rounding to the type of the result.
 *
 * `operands: bf16` also allows operands rounded to bf16 first. With K up to 128 the bound distinguishes f32 from TF32. The accuracy
 * profile says how many times the bound is allowed. With `operations` the bound is that of an algorithm, see `roundingOf`; a
 * convolution whose filters have one element is such a product, too.
 */
export const dotPrecision = probe(
  'dot-precision',
  { program, operands: text, operations: optional(number), refusable: optional(text) },
  (context, { program: name, operands, operations, refusable }) => {
    const program = loadProgram(name);
    const make = operations === undefined || operands === 'exact' ? spread : alike;
    const [left, right] = program.inputs.map((input, i) => make(dtype(input.dtype), input.shape, i + 1));
    const k = left!.shape.at(-1)!;
    const n = right!.shape.at(-1)!;
    const a = values(left!);
    const b = values(right!);
    const m = a.length / k;
    const { shape } = program.outputs[0]!;
    const out = dtype(program.outputs[0]!.dtype);
    // Sums in a type narrower than f32 are no subject of this probe.
    const sums = out.name === 'f64' ? out : dtype('f32');
    const expected = alloc(out, [...shape]);
    const write = writer(expected);
    const summing = new Float64Array(m * n);
    const rounding = new Float64Array(m * n);
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
        // Products of f64 are rounded, and the expected sum errs as much as the computed one may.
        const terms = out.name === 'f64' ? 2 * (k + 1) : k * (operations ?? 1);
        // Twice the last term: the reference is rounded to the type too.
        summing[i * n + j] = magnitude * terms * unit(sums) + 2 * unit(out) * Math.abs(sum);
        rounding[i * n + j] = magnitude * roundingOf(operands, operations);
      }
    }
    const [output] = runOnce(context, compiled(context, program.name, refusable), [left!, right!]);
    judgeNumbers(context, {
      what: 'output',
      subject: `${program.name} is less accurate than ${operations === undefined ? 'sums in f32 are' : 'it asks for'}`,
      expected,
      actual: fetchArray(context, output!),
      rules: (profile) => {
        const { factor, source } = contractionBound(profile);
        // What an algorithm makes of its operands is its definition, and no matter of the profile.
        const share = operations === undefined ? factor : 1;
        const atol = summing.map((x, i) => factor * x + share * rounding[i]!);
        return { policy: { ulp: 0, source }, options: { bounds: { atol } } };
      },
    });
  },
);

function compiled(context: CaseContext, program: string, refusable: unknown): LoadedExecutable {
  try {
    return compileProgram(context, program);
  } catch (error) {
    throw refusable === undefined ? error : refusal(error, `the plugin refuses ${refusable}`);
  }
}

/** Significands of these operands, without the first bit. */
const MANTISSA: Readonly<Record<string, number>> = { bf16: 7, tf32: 10 };

/**
 * How far rounding the operands may move a product, as a fraction of it. With one operation each operand is rounded. With three it is
 * the sum of two rounded parts, and the product of the second ones is left out; with six it is the sum of three, and of the nine
 * products the three least are left out; with nine none is. An algorithm does not say how it rounds, so cutting bits off is allowed.
 */
function roundingOf(operands: string, operations: number | undefined): number {
  if (operands === 'exact') return 0;
  const nearest = 2 ** -(MANTISSA[operands]! + 1);
  if (operations === undefined) return 2 * nearest + nearest ** 2;
  const u = 2 * nearest;
  switch (operations) {
    case 1:
      return 2 * u + u ** 2;
    case 3:
      return 3 * u ** 2 * (1 + u);
    case 6:
      return 4 * u ** 3 * (1 + u);
    default:
      return 2 * u ** 3 * (1 + u);
  }
}

/**
 * Positive numbers between 1 and 2 that lie almost half-way between two of bf16, and almost half-way between two of TF32: rounding them
 * always makes them smaller by about as much, and no sum of products evens that out.
 */
function alike(type: DType, shape: readonly number[], seed: number): HostArray {
  const array = alloc(type, shape);
  const write = writer(array);
  const count = shape.reduce((x, y) => x * y, 1);
  for (let i = 0; i < count; i++) {
    const fraction = ((i + seed * 1009) * 0.6180339887498949) % 1;
    const head = 1 + Math.floor(128 * fraction) / 128;
    write(i, encode(type, head + 3 / 1024 + (0.5 - 0.05 * fraction) / 1024));
  }
  return array;
}

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

import { alloc, elementCount, type HostArray, reader, writer } from '../../numerics/array.ts';
import { bound } from '../../numerics/bounds.ts';
import type { Bits } from '../../numerics/codec.ts';
import { compareArrays, describe } from '../../numerics/compare.ts';
import { dtype } from '../../numerics/dtypes.ts';
import { loadTable, tableColumn } from '../../numerics/tables.ts';
import { POISON } from '../../pjrt/buffer.ts';
import { loadProgram } from '../../programs/programs.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { runOnce } from './run-once.ts';

/**
 * Subnormal operands and results: a device may compute with them or take them for zero, so either answer passes, element
 * by element, and anything else fails. `with`: program, table (its columns `x` or `a` and `b`, `y`, `flushed`), bound.
 */
export const subnormalOperands: Probe = (context, options) => {
  const program = loadProgram(String(options.program));
  const table = String(options.table);
  const shape = program.outputs[0]!.shape;
  const column = (name: string) => repeated(tableColumn(table, name), shape);
  const inputs = Object.keys(loadTable(table).columns)
    .filter((name) => !['y', 'flushed'].includes(name))
    .map(column);
  const extreme = options.bound === 'maximum' || options.bound === 'minimum';
  const alternatives = [
    column('flushed'),
    ...(extreme ? inputs.map((_, i) => betweenZeros(inputs, i, column('y'))) : []),
  ];
  const executable = compileProgram(context, program.name);
  const [output] = runOnce(context, executable, inputs);
  const { ulp, atol, source } = bound(String(options.bound), program.outputs[0]!.dtype, 'standard');
  const comparison = compareArrays(
    column('y'),
    fetchArray(context, output!),
    { ulp, ...(atol === undefined ? {} : { atol }), source, subnormal: 'maybe' },
    { poison: POISON, inputs, flushed: alternatives },
  );
  if (comparison.ok) return;
  const [first, ...rest] = describe(comparison).split('\n');
  throw new CheckFailure({
    type: 'pjrt.NumericMismatch',
    message: `${program.name} of subnormal numbers: ${first}`,
    detail: rest.join('\n'),
  });
};

/** The elements of a vector again and again, until they fill a shape: the programs are longer than the tables. */
function repeated(column: HostArray, shape: readonly number[]): HostArray {
  const array = alloc(dtype(column.dtype.name), shape);
  const bytes = elementCount(shape) * column.dtype.hostBytes;
  for (let i = 0; i < bytes; i++) array.bytes[i] = column.bytes[i % column.bytes.length]!;
  return array;
}

/** To a device that takes subnormals for zero, the extreme of two of them is either: operand `which`, else the expected. */
function betweenZeros(inputs: readonly HostArray[], which: number, expected: HostArray): HostArray {
  const read = inputs.map(reader);
  const right = reader(expected);
  const array = alloc(expected.dtype, expected.shape);
  const write = writer(array);
  const { mantissa } = expected.dtype.float!;
  const count = elementCount(expected.shape);
  // The exponent field of a zero or subnormal is zero: nothing is left above the mantissa when the sign is gone.
  const zeroLike = (bits: Bits) => BigInt.asUintN(expected.dtype.bits - 1, BigInt(bits)) >> BigInt(mantissa) === 0n;
  for (let i = 0; i < count; i++) write(i, read.every((at) => zeroLike(at(i))) ? read[which]!(i) : right(i));
  return array;
}

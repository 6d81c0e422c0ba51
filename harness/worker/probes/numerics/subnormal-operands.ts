import { alloc, elementCount, type HostArray, reader, writer } from '../../../knowledge/numerics/array.ts';
import { bound, subnormalRule } from '../../../knowledge/numerics/bounds.ts';
import type { Bits } from '../../../knowledge/numerics/codec.ts';
import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import { loadTable, tableColumn } from '../../../knowledge/numerics/tables.ts';
import { loadProgram } from '../../../knowledge/programs/programs.ts';
import { compileProgram } from '../../steps/compile.ts';
import { judgeNumbers } from '../../steps/judge-numbers.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { probe, program, text } from '../probe.ts';
import { runOnce } from '../support/sample-run.ts';

/**
 * Subnormal operands and results: where the accuracy profile lets a device take them for zero, either answer passes, element
 * by element, and anything else fails. The table has the columns `x`, or `a` and `b`, `y`, `flushed`.
 */
export const subnormalOperands = probe(
  'subnormal-operands',
  { program, table: text, bound: text },
  (context, { program: name, table, bound: op }) => {
    const program = loadProgram(name);
    const shape = program.outputs[0]!.shape;
    const column = (name: string) => repeated(tableColumn(table, name), shape);
    const inputs = Object.keys(loadTable(table).columns)
      .filter((name) => !['y', 'flushed'].includes(name))
      .map(column);
    const type = program.outputs[0]!.dtype;
    const extreme = op === 'maximum' || op === 'minimum';
    const alternatives = [
      column('flushed'),
      ...(extreme ? inputs.map((_, i) => betweenZeros(inputs, i, column('y'))) : []),
    ];
    const executable = compileProgram(context, program.name);
    const [output] = runOnce(context, executable, inputs);
    judgeNumbers(context, {
      what: 'output',
      subject: `${program.name} of subnormal numbers`,
      expected: column('y'),
      actual: fetchArray(context, output!),
      // StableHLO gives an accuracy only to operations that the default profile wants exact.
      warns: bound(op, type, 'standard').ulp > 0,
      rules: (profile) => {
        const { ulp, atol, source } = bound(op, type, profile);
        const { policy, source: allowed } = subnormalRule(profile);
        const both = `${source}; subnormals: ${allowed}`;
        return {
          policy: { ulp, ...(atol === undefined ? {} : { atol }), source: both, subnormal: policy },
          options: { inputs, flushed: alternatives },
        };
      },
    });
  },
);

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

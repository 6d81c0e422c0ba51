/** Where operands come from, as one more attribute of every operation: compilers treat constants and repeated values apart. */
import { type HostArray, reader } from '../numerics/array.ts';
import { generate } from '../numerics/generate.ts';
import { type Form, legal, type Space } from './space.ts';
import { typeText } from './text.ts';

/** `shared`: the first two operands of one type are the same value. `last-constant`: only the last operand is a constant. */
const SOURCES = ['arguments', 'constants', 'shared', 'last-constant'] as const;

/** The same space with the attribute `from`. */
export const sourced = ({ attributes, form, together }: Space): Space => ({
  ...(together ? { together } : {}),
  attributes: { ...attributes, from: SOURCES },
  form: ({ from, ...choice }) => {
    const plain = form(choice);
    if (from === 'constants') return ofConstants(plain);
    if (from === 'last-constant') {
      legal(plain.operands.length > 1, 'the only operand is a constant');
      return ofConstants(plain, plain.operands.length - 1);
    }
    return from === 'shared' ? ofOneValue(plain) : plain;
  },
});

/** @param left how many operands remain arguments, from the first */
function ofConstants(form: Form, left = 0): Form {
  legal(form.operands.length > left, 'there are no operands');
  const operands = form.operands.slice(left);
  const arrays = operands.map(({ data }) => generate(data));
  return {
    ...form,
    operands: form.operands.slice(0, left),
    text: (given, result) => {
      const names = operands.map((_, i) => `${result}_k${i}`);
      const constants = arrays.map(
        (array, i) => `${names[i]} = stablehlo.constant ${dense(array)} : ${typeText(operands[i]!)}`,
      );
      return [...constants, form.text([...given, ...names], result)].join('\n');
    },
    expected: (given) => form.expected([...given, ...arrays]),
  };
}

function ofOneValue(form: Form): Form {
  const types = form.operands.map(typeText);
  const second = types.findIndex((type, i) => types.indexOf(type) < i);
  legal(second > 0, 'no two operands have one type');
  legal(form.shares !== false, 'its operands have a meaning of their own');
  const first = types.indexOf(types[second]!);
  const all = <T>(list: readonly T[]): T[] => list.toSpliced(second, 0, list[first]!);
  return {
    ...form,
    operands: form.operands.toSpliced(second, 1),
    text: (names, result) => form.text(all(names), result),
    expected: (arrays) => form.expected(all(arrays)),
  };
}

/** An array as MLIR writes it: the bytes, or of booleans the words. */
function dense(array: HostArray): string {
  const { shape, bytes, dtype } = array;
  if (shape.includes(0)) return 'dense<>';
  if (dtype.kind !== 'pred') {
    const item = dtype.hostBytes;
    const splat = bytes.every((byte, i) => byte === bytes[i % item]);
    return `dense<"0x${Buffer.from(splat ? bytes.subarray(0, item) : bytes).toString('hex')}">`;
  }
  const read = reader(array);
  let next = 0;
  const nested = (depth: number): string =>
    depth === shape.length
      ? read(next++) === 0
        ? 'false'
        : 'true'
      : `[${Array.from({ length: shape[depth]! }, () => nested(depth + 1)).join(', ')}]`;
  return `dense<${nested(0)}>`;
}

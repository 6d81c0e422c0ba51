import { expect, test } from 'vitest';
import { fromValues, type HostArray } from '../../knowledge/numerics/array.ts';
import { dtype } from '../../knowledge/numerics/dtypes.ts';
import type { Buffer } from '../pjrt/buffer.ts';
import { looksLike, remember, rememberReading } from './looks-like.ts';

const array = (shape: number[], values: number[]): HostArray => fromValues(dtype('s32'), shape, values);
const buffer = (): Buffer => ({}) as Buffer;

/** What the array looks like that is read from a buffer which was made like this, and should be another one. */
const seen = (
  making: Parameters<typeof remember>[1],
  { expected, actual, raw = actual.bytes, plainly }: Seen,
): string | undefined => {
  const made = buffer();
  remember(made, making);
  const order = actual.shape.map((_, i) => actual.shape.length - 1 - i);
  rememberReading(actual, { buffer: made, raw, order, plainly });
  return looksLike(expected, actual)?.kind;
};
interface Seen {
  expected: HostArray;
  actual: HostArray;
  raw?: Uint8Array;
  plainly?: () => Uint8Array | undefined;
}

const right = array([2, 3], [1, 2, 3, 4, 5, 6]);
const columns = array([2, 3], [1, 4, 2, 5, 3, 6]);

test('the bytes of memory instead of the array are ignored strides', () => {
  const sent = { sent: right, dense: columns.bytes };
  expect(seen(sent, { expected: right, actual: columns })).toBe('strides');
  expect(seen(sent, { expected: right, actual: array([2, 3], [1, 4, 2, 5, 3, 7]) })).toBeUndefined();
  expect(seen({ sent: right }, { expected: right, actual: columns })).toBeUndefined();
});

test('between ignored strides and an ignored layout of the read a plain read decides', () => {
  const after = (plain: HostArray | undefined, raw = right) => {
    const wrong = { expected: right, actual: columns, raw: raw.bytes, plainly: () => plain?.bytes };
    return seen({ sent: right, dense: columns.bytes }, wrong);
  };
  expect(after(right)).toBe('host-layout');
  expect(after(columns)).toBe('strides');
  expect(after(array([2, 3], [7, 8, 9, 1, 2, 3]))).toBeUndefined();
  expect(after(undefined)).toBeUndefined();
  // The order was kept: the array itself is wrong.
  expect(after(right, array([2, 3], [1, 5, 6, 4, 2, 3]))).toBe('strides');
});

test('row-major bytes where another order was asked for are an ignored layout', () => {
  const wrong = { expected: right, actual: columns, raw: right.bytes };
  expect(seen({ sent: right }, { ...wrong, plainly: () => right.bytes })).toBe('host-layout');
  expect(seen({ sent: right, order: [0, 1] }, wrong)).toBe('device-layout');
  // As on the device, though row-major was asked for.
  expect(seen({ sent: right, order: [0, 1] }, { expected: right, actual: columns })).toBe('host-layout');
  expect(seen({ sent: right }, wrong)).toBeUndefined();
});

test('an output in row-major order is an ignored layout if a plain read is right', () => {
  const of = (plain: HostArray | undefined) =>
    seen(
      { run: { program: 'd', args: [] } },
      { expected: right, actual: columns, raw: right.bytes, plainly: () => plain?.bytes },
    );
  expect([of(right), of(columns), of(undefined)]).toEqual(['host-layout', undefined, undefined]);
});

test('arguments, zeros and the outputs of other programs instead of an output', () => {
  const argument = buffer();
  remember(argument, { sent: columns });
  const run = (program: string) => ({ run: { program, args: [argument] } });
  expect(seen(run('a'), { expected: right, actual: array([2, 3], [1, 4, 2, 5, 3, 6]) })).toBe('argument');
  expect(seen(run('a'), { expected: right, actual: array([2, 3], [0, 0, 0, 0, 0, 0]) })).toBe('zeros');
  const other = (program: string) => seen(run(program), { expected: right, actual: array([2, 3], [9, 8, 7, 1, 2, 3]) });
  expect([other('b'), other('b'), other('c')]).toEqual([undefined, undefined, 'other-program']);
});

test.each<[string, HostArray, HostArray]>([
  ['a vector', array([6], [1, 2, 3, 4, 5, 6]), array([6], [6, 5, 4, 3, 2, 1])],
  ['a matrix of one column', array([6, 1], [1, 2, 3, 4, 5, 6]), array([6, 1], [1, 4, 2, 5, 3, 6])],
  ['a constant', right, array([2, 3], [1, 1, 1, 1, 1, 1])],
  ['two values', right, array([2, 3], [1, 0, 1, 0, 0, 1])],
  ['a palindrome', right, array([2, 3], [1, 2, 3, 3, 2, 1])],
  ['few elements', array([1, 3], [1, 2, 3]), array([1, 3], [3, 1, 2])],
  ['another shape', right, array([3, 2], [1, 4, 2, 5, 3, 6])],
])('%s says nothing', (_, expected, actual) => {
  expect(seen({ sent: expected, dense: actual.bytes }, { expected, actual })).toBeUndefined();
});

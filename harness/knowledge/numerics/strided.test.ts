import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocBytes, fromValues } from './array.ts';
import { dtype } from './dtypes.ts';
import { generate } from './generate.ts';
import { denseStrides, fromStrided, toStrided } from './strided.ts';

const none = (): never => {
  throw new Error('no references here');
};

describe('strided arrays', () => {
  it('column-major, padded, reversed and repeated layouts have the expected contents', () => {
    const a = fromValues(dtype('u8'), [2, 3], [1, 2, 3, 4, 5, 6]);
    expect([...toStrided(a, { order: [0, 1] }).backing]).toEqual([1, 4, 2, 5, 3, 6]);
    expect([...toStrided(a, { strides: [4, 1], filler: 0 }).backing]).toEqual([1, 2, 3, 0, 4, 5, 6]);
    const back = toStrided(a, { strides: [-3, 1] });
    expect([back.offset, [...back.backing]]).toEqual([3, [4, 5, 6, 1, 2, 3]]);
    const same = fromValues(dtype('u8'), [2, 3], [1, 2, 3, 1, 2, 3]);
    expect([...toStrided(same, { strides: [0, 1] }).backing]).toEqual([1, 2, 3]);
    expect(() => toStrided(a, { strides: [0, 1] })).toThrow(/share memory/);
    expect(() => toStrided(a, { order: [0, 0] })).toThrow(/not a minor-to-major order/);
    expect(() => fromStrided(a.dtype, [9, 3], back)).toThrow(/outside 6 bytes/);
  });

  it('round trip for any shape, order, padding and direction', () => {
    const dims = fc.array(fc.nat(4), { maxLength: 4 });
    const types = fc.constantFrom('pred', 's4', 'bf16', 'f32', 'c64', 'c128');
    fc.assert(
      fc.property(dims, types, fc.infiniteStream(fc.nat(100)), fc.boolean(), (shape, name, noise, flip) => {
        const a = generate({ hash: { dtype: name, shape } }, none);
        const order = shape
          .map((_, d) => [noise.next().value!, d] as const)
          .sort((x, y) => x[0] - y[0])
          .map(([, d]) => d);
        const dense = denseStrides(shape, a.dtype.hostBytes, order);
        const strides = dense.map((s) => (flip ? -3 : 3) * s);
        for (const how of [{ order }, { strides }]) {
          expect(fromStrided(a.dtype, shape, toStrided(a, how)).bytes).toEqual(a.bytes);
        }
      }),
    );
  });

  it('aligned memory begins at an aligned address', () => {
    const bytes = allocBytes(10, 64, () => 1000n);
    expect([bytes.byteOffset, bytes.length]).toEqual([24, 10]);
    expect(allocBytes(10, 64, () => 1024n).byteOffset).toBe(0);
  });
});

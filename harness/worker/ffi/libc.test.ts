import koffi from 'koffi';
import { describe, expect, test } from 'vitest';
import { c, overwritingFreed } from './libc.ts';

const glibc = process.platform === 'linux';

describe.skipIf(!glibc)(glibc ? 'freed memory' : 'freed memory (skipped: the C library is not glibc)', () => {
  const free = koffi.load('libc.so.6').func('void free(void* address)');
  /** Larger than what the C library keeps for each thread as it is, and between two that stay. */
  const blockOf = (bytes: number): bigint => {
    const [, block] = [1, 2, 3].map(() => c.calloc(1, bytes)!);
    return block!;
  };
  const byteOf = (address: bigint): number => new Uint8Array(koffi.view(address + 1000n, 1))[0]!;

  test('is overwritten during the call', () => {
    const block = blockOf(3000);
    const seen = overwritingFreed(() => {
      free(block);
      return byteOf(block);
    });
    expect(seen).toBe(0xa5);
  });

  test('is left as it was afterwards, also if the call throws', () => {
    expect(() =>
      overwritingFreed(() => {
        throw new Error('no');
      }),
    ).toThrow('no');
    const block = blockOf(5000);
    free(block);
    expect(byteOf(block)).not.toBe(0xa5);
  });
});

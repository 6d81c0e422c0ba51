import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Arena, guardedBlock, moveOut } from './memory.ts';

/** Runs TypeScript code in a separate process, because it may crash. */
const inProcess = (body: string) => {
  const here = fileURLToPath(new URL('./memory.ts', import.meta.url));
  const code = `import { Arena, guardedBlock, readBytes, writeBytes } from ${JSON.stringify(here)};\n${body}`;
  return spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], { encoding: 'utf8' });
};

describe('guardedBlock', () => {
  test('every byte of the block can be used', () => {
    const block = guardedBlock(88, 'PJRT_X_Args');
    block.bytes.fill(1);
    expect(block.bytes.length).toBe(88);
    expect(block.address % 8n).toBe(0n);
    expect(block.intact()).toBe(true);
  });

  test('reading the byte after it is a segmentation fault', () => {
    const run = inProcess(
      `const b = guardedBlock(88, 'PJRT_X_Args'); readBytes(b.address, 88); readBytes(b.address + 88n, 1);`,
    );
    expect(run.signal).toBe('SIGSEGV');
  });

  test('writing the byte after it is a segmentation fault', () => {
    const run = inProcess(`const b = guardedBlock(88, 'PJRT_X_Args'); writeBytes(b.address + 88n, new Uint8Array(1));`);
    expect(run.signal).toBe('SIGSEGV');
  });

  test('a write before it is detected', () => {
    const run = inProcess(
      `const b = guardedBlock(88, 'PJRT_X_Args'); writeBytes(b.address - 8n, new Uint8Array(8)); console.log(b.intact());`,
    );
    expect(run.stdout.trim()).toBe('false');
  });
});

describe('Arena', () => {
  test('memory is zeroed and aligned, also when it is reused', () => {
    const arena = new Arena();
    for (let round = 0; round < 3; round++) {
      for (const size of [1, 100, 40_000, 3_000_000]) {
        const block = arena.alloc(size, 64);
        expect(block.address % 64n).toBe(0n);
        expect(block.bytes.every((b) => b === 0)).toBe(true);
        block.bytes.fill(0xff);
      }
      arena.release();
    }
  });

  test('what is moved out is whole, whatever its size', () => {
    const arena = new Arena();
    for (const size of [0, 100, 3_000_001]) {
      const block = arena.alloc(size + 64, 64);
      const expected = Uint8Array.from({ length: size }, (_, i) => i % 251);
      block.bytes.set(expected);
      // Comparing millions of elements one by one takes a minute on a busy machine.
      expect(Buffer.compare(moveOut(block, size), expected)).toBe(0);
    }
    arena.release();
  });

  test('inputs hold their bytes, and end at the guard or are aligned; whole lines are both', () => {
    const arena = new Arena({ guardsInputs: true });
    for (let round = 0; round < 2; round++) {
      const at = (size: number) => {
        const bytes = Uint8Array.from({ length: size }, (_, i) => i + round);
        const block = arena.input(bytes);
        expect(block.bytes).toEqual(bytes);
        return { aligned: block.address % 64n === 0n, ends: (block.address + BigInt(size)) % 4096n === 0n };
      };
      expect(at(128)).toEqual({ aligned: true, ends: true });
      expect(at(24)).toEqual({ aligned: false, ends: true });
      expect(at(24)).toEqual({ aligned: true, ends: false });
      expect(at(40_000)).toEqual({ aligned: true, ends: true });
      expect(at(12_345)).toEqual({ aligned: false, ends: true });
      expect([...new BigInt64Array(arena.int64s([7, -1]).bytes.slice().buffer)]).toEqual([7n, -1n]);
      arena.release();
    }
  });

  test.each(['input(new Uint8Array(24))', 'input(new Uint8Array(8192))', 'int64s([2, 3])'])(
    'reading past %s is a segmentation fault, unless the arena does not guard',
    (made) => {
      const read = (guardsInputs: boolean) =>
        inProcess(
          `const b = new Arena({ guardsInputs: ${guardsInputs} }).${made}; readBytes(b.address, b.bytes.length + 1); console.log('alive');`,
        );
      expect(read(true).signal).toBe('SIGSEGV');
      expect(read(false).stdout).toContain('alive');
    },
  );

  test('more inputs than a process has mappings for can be allocated', () => {
    const arena = new Arena({ guardsInputs: true });
    for (let i = 0; i < 40_000; i++) arena.input(Uint8Array.of(i & 255));
    arena.release();
  });

  test('text is followed by a NUL that is not part of the length', () => {
    const text = new Arena().text('mlir');
    expect([text.length, ...text.bytes]).toEqual([4, ...Buffer.from('mlir\0')]);
  });
});

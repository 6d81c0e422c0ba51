import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Arena, guardedBlock } from './memory.ts';

/** Runs a piece of TypeScript in a process of its own, because it may not survive. */
const inProcess = (body: string) => {
  const here = fileURLToPath(new URL('./memory.ts', import.meta.url));
  const code = `import { guardedBlock, readBytes, writeBytes } from ${JSON.stringify(here)};\n${body}`;
  return spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], { encoding: 'utf8' });
};

describe('guardedBlock', () => {
  test('every byte of the block can be used', () => {
    const block = guardedBlock(88);
    block.bytes.fill(1);
    expect(block.bytes.length).toBe(88);
    expect(block.address % 8n).toBe(0n);
    expect(block.intact()).toBe(true);
  });

  test('reading the byte behind it is a segmentation fault', () => {
    const run = inProcess('const b = guardedBlock(88); readBytes(b.address, 88); readBytes(b.address + 88n, 1);');
    expect(run.signal).toBe('SIGSEGV');
  });

  test('writing the byte behind it is a segmentation fault', () => {
    const run = inProcess('const b = guardedBlock(88); writeBytes(b.address + 88n, new Uint8Array(1));');
    expect(run.signal).toBe('SIGSEGV');
  });

  test('without its guard the bytes behind it can be read', () => {
    const run = inProcess('const b = guardedBlock(88, false); readBytes(b.address + 88n, 64); console.log("alive");');
    expect(run.stdout).toContain('alive');
  });

  test('a write before it is noticed', () => {
    const run = inProcess(
      'const b = guardedBlock(88); writeBytes(b.address - 8n, new Uint8Array(8)); console.log(b.intact());',
    );
    expect(run.stdout.trim()).toBe('false');
  });
});

describe('Arena', () => {
  test('memory comes zeroed and aligned, also when it is used again', () => {
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

  test('text is followed by a NUL that does not count', () => {
    const text = new Arena().text('mlir');
    expect([text.length, ...text.bytes]).toEqual([4, ...Buffer.from('mlir\0')]);
  });
});

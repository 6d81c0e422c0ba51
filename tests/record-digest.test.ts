import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { digestOf } from '../harness/knowledge/trace/digest.ts';
import { compile } from './support/c-compiler.ts';
import { ARM64_COMPILER, EMULATOR, whyNoArm64 } from './support/emulated.ts';

/** Whole blocks and parts of blocks, whole groups of eight and parts of groups. */
const SIZES = [0, 1, 15, 16, 17, 31, 100, 127, 128, 129, 143, 144, 255, 256, 1000, 65_537];

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-record-digest-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const bytesOf = (size: number): Uint8Array => Buffer.alloc(size).map((_, at) => at * 31 + Math.floor(at / 251));

const noArm64 = whyNoArm64();

/** How the recorder of a kind of processor computes it. */
const WAYS: readonly { way: string; flags?: string[]; compiler?: string; run?: string[]; not?: string | undefined }[] =
  [
    { way: 'this processor' },
    { way: 'a processor without products that carry nothing', flags: ['-DRECORDER_WITHOUT_PRODUCTS'] },
    { way: 'arm64', flags: ['-static'], compiler: ARM64_COMPILER, run: [EMULATOR], not: noArm64 },
    {
      way: 'arm64 without them',
      flags: ['-static'],
      compiler: ARM64_COMPILER,
      run: [EMULATOR, '-cpu', 'cortex-a72'],
      not: noArm64,
    },
  ];

test.for(WAYS.map((one) => ({ ...one, why: one.not ? ` (skipped: ${one.not})` : '' })))(
  'the recorder gives data the names that readers expect: $way$why',
  async ({ way, flags = [], compiler, run = [], not }, { skip }) => {
    if (not) skip();
    const program = join(directory, way.replaceAll(' ', '-'));
    const recorder = packagePath('plugins', 'recorder');
    const sources = [packagePath('tests', 'record', 'digests.cc'), join(recorder, 'digest.cc')];
    await compile(
      ['-std=c++17', '-O2', '-Wall', '-Wextra', '-Werror', `-I${recorder}`, ...flags, ...sources, '-o', program],
      compiler,
    );
    const [file, ...args] = [...run, program, ...SIZES.map(String)] as [string, ...string[]];
    const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toEqual(SIZES.map((size) => digestOf(bytesOf(size))));
  },
);

test('the digest is that of the first test case of the Galois/counter mode', () => {
  expect(digestOf(Buffer.of())).toBe('58e2fccefa7e3061367f1d57a4e7455a');
});

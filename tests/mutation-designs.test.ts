import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { DesignScore } from '../tools/mutation/design-score.ts';
import { referenceLibrary } from './support/reference.ts';

const TSX = packagePath('node_modules', 'tsx', 'dist', 'cli.mjs');
const MUTATION = packagePath('tools', 'mutation', 'mutation.ts');

let base: string;
beforeAll(async () => {
  base = await referenceLibrary();
});

/** A fault in a result, one in contents that the host cannot address, and one in a function that the design does not have. */
test('faults are planted in a plugin of another design, and those that do not apply are reported', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-designs-test-'));
  try {
    const json = join(directory, 'score.json');
    const faults = ['metadata-dims-reversed', 'copy-last-element-lost', 'topology-order-changes'];
    const asked = faults.flatMap((name) => ['--fault', name]);
    const args = [
      MUTATION,
      '--base',
      `reference=${base}`,
      '--design',
      'tpu-like+no-topology',
      '--json',
      json,
      ...asked,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [TSX, ...args]);
    const score = JSON.parse(readFileSync(json, 'utf8')) as DesignScore;
    expect(score, stdout).toEqual({
      base: 'reference',
      every: 1,
      detected: ['copy-last-element-lost', 'metadata-dims-reversed'],
      open: {},
      absent: { 'no case that could catch it passes: unsupported': ['topology-order-changes'] },
    });
    expect(stdout).toContain('tpu-like+no-topology: 3 faults, 2 apply, 2 detected; score 100.0 %');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('an unknown design, or one that this base cannot have, is reported on one line', async () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [TSX, MUTATION, '--base', `reference=${base}`, ...args]);
  await expect(run('--design', 'no-memory')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no design is called "no-memory"; there are .*no-memories/),
  });
  await expect(run('--design', 'slow-compiler')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('slow-compiler: too slow'),
  });
  await expect(run('--sample', '0')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('--sample 0') });
});

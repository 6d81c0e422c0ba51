import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Score } from '../tools/mutation/report.ts';
import { referenceLibrary } from './support/reference.ts';

const TSX = packagePath('node_modules', 'tsx', 'dist', 'cli.mjs');
const MUTATION = packagePath('tools', 'mutation', 'mutation.ts');

/** Faults that only affect consumers of other versions, and the case that detects each. */
const CAUGHT = {
  'caller-newer-refused-by-initialize': '(run)',
  'caller-older-options-ignored': 'donation/donation:non-donatable[program=aliased]',
  'caller-older-refused-by-create': '(run)',
  'caller-older-refused-by-load': 'serialization/executables:round-trip',
};

let base: string;
beforeAll(async () => {
  base = await referenceLibrary();
});

test('the default run passes on these faults, and a run as the affected consumer fails', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-callers-test-'));
  try {
    const json = join(directory, 'score.json');
    const faults = Object.keys(CAUGHT).flatMap((name) => ['--fault', name]);
    const args = [MUTATION, '--base', `reference=${base}`, '--json', json, ...faults];
    const { stdout } = await promisify(execFile)(process.execPath, [TSX, ...args]);
    const score = JSON.parse(readFileSync(json, 'utf8')) as Score;
    const found = Object.entries(score.faults).map(([name, { outcome, by, byDefault }]) => [
      name,
      { outcome, by, byDefault },
    ]);
    expect(Object.fromEntries(found), stdout).toEqual(
      Object.fromEntries(
        Object.entries(CAUGHT).map(([name, by]) => [name, { outcome: 'detected', by, byDefault: 'missed' }]),
      ),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});

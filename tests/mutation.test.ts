import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Score } from '../tools/mutation/report.ts';
import { buildHostile } from './support/hostile.ts';

const TSX = packagePath('node_modules', 'tsx', 'dist', 'cli.mjs');
const MUTATION = packagePath('tools', 'mutation', 'mutation.ts');

/** The smallest plugin as the base, so that the test is fast. */
test('faults are planted in a plugin, and the cases that detect them are reported', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-mutation-test-'));
  try {
    const json = join(directory, 'score.json');
    const faults = [
      'client-platform-name-empty',
      'lookup-unknown-id-gives-first',
      'metadata-dims-reversed',
      'null-buffer-destroy-aborts',
      'table-major-version-1',
      'load-options-demanded',
    ];
    const args = [
      MUTATION,
      '--base',
      await buildHostile('toy'),
      '--json',
      json,
      ...faults.flatMap((f) => ['--fault', f]),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [TSX, ...args]);
    const score = JSON.parse(readFileSync(json, 'utf8')) as Score;
    const caught = Object.fromEntries(
      Object.entries(score.faults).map(([name, { outcome, by }]) => [name, by ?? outcome]),
    );
    expect(caught, stdout).toEqual({
      'client-platform-name-empty': 'client/queries:platform-name',
      'load-options-demanded': 'absent',
      'lookup-unknown-id-gives-first': 'client/lookup:unknown-id[id=-1]',
      'metadata-dims-reversed': expect.stringMatching(/^buffers\/metadata:dimensions\[/),
      'null-buffer-destroy-aborts': 'abi/null-destroy:buffer',
      'table-major-version-1': '(run)',
    });
    expect(stdout).toContain('6 faults: 5 detected, 1 absent; score 100.0 %');
  } finally {
    rmSync(directory, { recursive: true });
  }
});

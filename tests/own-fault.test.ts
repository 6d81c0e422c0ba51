import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-own-fault-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('an error of the harness while it reads what a plugin returned is no word about the plugin', async () => {
  // What every process of the run executes first: reading the minor version of the table fails.
  const planted = join(directory, 'planted.cjs');
  writeFileSync(
    planted,
    `const { getInt32 } = DataView.prototype;
     DataView.prototype.getInt32 = function (at, ...more) {
       if (at === 32) throw new RangeError('planted');
       return getInt32.call(this, at, ...more);
     };`,
  );
  const args = ['run', '--plugin', await buildHostile('toy'), '--profile', 'no-device', '--output', 'out'];
  const { exitCode, stdout, events } = await cli(args, { env: { NODE_OPTIONS: `--require ${planted}` } });
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(
    'no verdict: internal error: worker 1: the harness failed while reading what GetPjrtApi had returned: RangeError: planted (exit code 5)',
  );
  expect(exitCode).toBe(5);
  const notes = events.filter((event) => event.type === 'note');
  expect(notes.find(({ level }) => level === 'error')?.detail).toMatch(/^RangeError: planted\n +at /);
  expect(notes.filter(({ breach }) => breach)).toEqual([]);
});

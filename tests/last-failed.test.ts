import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { Ended } from './support/command.ts';
import { buildOnToy } from './support/hostile.ts';
import { inProcess } from './support/in-process.ts';

/** `--last-failed` and `--failed-of`, with the plugin of fixtures/gate/plugin.c, whose fault a variable removes. */

const SUITE = ['--suites', packagePath('tests', 'gate'), '--suite', 'gate', '--workers', '1', '--quiet'];

let directory: string;
let plugin: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-last-failed-'));
  const source = packagePath('fixtures', 'gate', 'plugin.c');
  plugin = await buildOnToy(source, packagePath('build', 'gate', 'plugin.so'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const run = (step: string, ...args: string[]): Promise<Ended> =>
  inProcess(['run', '--plugin', `gated=${plugin}`, ...SUITE, ...args], directory, { PJRT_GATE_STEP: step });

test('what failed runs again until nothing fails', async () => {
  expect(await run('failure')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('1 of 24 cases violate a MUST'),
  });
  const again = await run('failure', '--last-failed');
  expect([again.status, again.stderr]).toEqual([1, '']);
  expect(again.stdout).toContain('1 of 1 cases violate');
  expect((await run('', '--last-failed')).status).toBe(0);
  // Its place has a run without a failure now; the whole run was kept.
  const nothing = await run('', '--last-failed');
  expect(nothing).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('nothing failed in reports/gated/events.jsonl (1 case)'),
  });
  expect((await run('', '--failed-of', 'reports/gated/previous', '--output', 'other')).status).toBe(0);
  const resumed = await run('', '--resume', 'other');
  expect(resumed.stderr).not.toContain('failed-of');
});

test.each<[string, string[], RegExp]>([
  [
    'no last run',
    ['--last-failed', '--output', 'nowhere'],
    /--last-failed nowhere\/events\.jsonl: there is no such file/,
  ],
  ['no such run', ['--failed-of', 'nowhere'], /nowhere: there is no such file/],
  [
    'other cases only',
    ['--failed-of', 'reports/gated/previous', '--tests', 'gate:numbers*', '--output', 'none'],
    /none of the 1 case that failed in reports\/gated\/previous is among those that the other options select/,
  ],
  ['both', ['--last-failed', '--failed-of', 'x'], /cannot be used with/],
])('%s is one clear error before anything runs', async (_, args, message) => {
  const { status, stderr } = await run('', ...args);
  expect(status).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split('\n').length).toBeLessThan(4);
});

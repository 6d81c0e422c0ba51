import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { foldRun } from '../harness/model/run.ts';
import { readEvents } from '../harness/report/log.ts';
import { buildCrashes } from '../tools/blame/crash-plugin.ts';
import { cli } from './support/cli.ts';
import { referenceLibrary } from './support/reference.ts';

/** A device that does not come back after a crash, or only when something resets it. */

const SELECTION = ['--suite', 'client', '--suite', 'buffers/host-errors'];

let base: string;
let library: string;
let directory: string;
beforeAll(async () => {
  [base, library] = [await referenceLibrary(), await buildCrashes()];
}, 600_000);
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-lost-device-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** @param how how the client fails after the crash */
async function run(how: string, args: readonly string[], env: Record<string, string> = {}) {
  const ended = await cli(['run', '--plugin', library, ...SELECTION, ...args, '--output', directory], {
    env: {
      PJRT_CRASHES_BASE: base,
      PJRT_CRASH: 'PJRT_Client_LookupDevice refused abort',
      PJRT_CRASH_WEDGES: `${join(directory, 'mark')} ${how}`,
      ...env,
    },
  });
  const log = foldRun(readEvents(join(directory, 'events.jsonl')));
  const notes = log.notes.flatMap(({ fact, message, level }) => (fact ? [{ ...fact, message, level }] : []));
  return { ...ended, log, lost: notes.filter(({ kind }) => kind === 'lost'), notes };
}

const reasons = (log: Awaited<ReturnType<typeof run>>['log']): string[] => [
  ...new Set([...log.cases.values()].flatMap(({ result }) => (result?.status === 'skip' ? [result.reason!] : []))),
];

test.each([
  ['is refused', 'refuse', 'UNAVAILABLE: the device does not answer'],
  ['kills its process', 'abort', 'the process died with SIGABRT in PJRT_Client_Create'],
  ['hangs', 'hang', /the deadline of 1\d(\.\d+)? s for one native call passed in PJRT_Client_Create/],
])(
  'a client that %s after a crash: the crash is named, once, and the rest is skipped for it',
  async (_, how, words) => {
    const { exitCode, stdout, lost, log } = await run(how, ['--timeout', 'client=20s']);
    expect(exitCode).toBe(1);
    expect(lost).toHaveLength(1);
    expect(lost[0]!.message).toMatch(
      /^no client can be created since client\/\S+, when the process died with SIGABRT in PJRT_Client_LookupDevice: /,
    );
    expect(lost[0]!.message).toMatch(words);
    expect(lost[0]!.message).toContain('--reset-command');
    const [reason, ...others] = reasons(log);
    expect(others).toEqual([]);
    expect(reason).toMatch(
      /^no client can be created since client\/\S+, when the process died with SIGABRT in PJRT_Client_LookupDevice; given up after [23] attempts/,
    );
    // Nobody else is accused: several workers may have died in that call before one of them was to be replaced.
    expect(log.counts).toMatchObject({ fail: 0, timeout: 0, error: 0 });
    const crashed = [...log.cases.values()].filter(({ result }) => result?.status === 'crash');
    expect(crashed.length).toBeGreaterThan(0);
    expect(new Set(crashed.map(({ result }) => result!.inFlight))).toEqual(new Set(['PJRT_Client_LookupDevice']));
    expect(stdout).toContain(`${crashed.length} of ${log.cases.size} cases violate a MUST (${crashed.length} crash)`);
  },
);

test('a device that takes longer than ever to come back is named, and comes back', async () => {
  const once = { PJRT_CRASH_ONCE: join(directory, 'once') };
  const { lost, log } = await run('slow', ['--workers', '1'], once);
  expect(lost.map((fact) => 'back' in fact)).toEqual([false, true]);
  expect(log.counts).toMatchObject({ crash: 0, fail: 0, timeout: 0, skip: 0, error: 0 });
});

test.each([
  ['a crash', 'PJRT_Client_LookupDevice refused abort', 'crash'],
  ['a hang', 'PJRT_Client_LookupDevice refused hang', 'timeout'],
])('with a command that resets the device all other cases get results after %s', async (_, crash, status) => {
  const command = `rm -v '${join(directory, 'mark')}'`;
  const args = ['--reset-command', command, '--timeout', 'call=1s', '--timeout', 'client=10s'];
  const { lost, log, notes } = await run('hang', args, { PJRT_CRASH: crash });
  expect(lost).toEqual([]);
  expect(reasons(log)).toEqual([]);
  const violating = [...log.cases.values()].filter(({ result }) => result?.status === status);
  expect(violating.length).toBeGreaterThan(5);
  expect(violating.map(({ result }) => result!.inFlight)).toEqual(violating.map(() => 'PJRT_Client_LookupDevice'));
  expect(log.counts.pass).toBeGreaterThan(70);
  const resets = notes.filter(({ kind }) => kind === 'reset');
  expect(resets.length).toBeGreaterThanOrEqual(violating.length);
  expect(resets.every((fact) => 'exitCode' in fact && fact.exitCode === 0 && fact.level === 'info')).toBe(true);
});

test('a reset that fails is said, with what it wrote', async () => {
  const { stdout, lost, log } = await run('refuse', ['--reset-command', 'echo no card; exit 4']);
  expect(stdout).toMatch(
    /^warning: the command that resets the devices ended with exit code 4 after [\d.]+ s: no card$/m,
  );
  expect(lost[0]!.message).not.toContain('--reset-command');
  expect(reasons(log)).toHaveLength(1);
  expect(existsSync(join(directory, 'mark'))).toBe(true);
});

test('several workers and a reset exclude each other', async () => {
  const { exitCode, stderr } = await cli(
    ['run', '--plugin', library, '--workers', '4', '--reset-command', 'true', '--output', directory],
    { env: { PJRT_CRASHES_BASE: base } },
  );
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--workers 4: --reset-command resets the devices after a death');
});

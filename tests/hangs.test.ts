import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { readEvents } from '../harness/report/index.ts';
import { type CliRun, cli, livingProcesses, verdicts } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';
import { inProcess } from './support/in-process.ts';

/** Time for a command to end after SIGTERM, whatever its plugin does. */
const SIGTERM_MS = 10_000;

const hostile = (plugin: string, ...more: string[]): string[] => [
  ...['run', '--plugin', plugin, '--output', 'out', '--workers', '1'],
  ...['--suites', packagePath('tests', 'suites'), '--suite', 'hostile', '--tests', 'hostile:*', ...more],
];

/** Runs a command and sends it SIGTERM as soon as its log contains these words. */
async function terminated(plugin: string, words: string): Promise<CliRun & { tookMs: number }> {
  let sent = 0;
  const run = await cli(hostile(await buildHostile(plugin)), {
    started: async (child, directory) => {
      const log = join(directory, 'out', 'events.jsonl');
      while (child.exitCode === null && !(existsSync(log) && readFileSync(log, 'utf8').includes(words)))
        await sleep(20);
      // Then it hangs: the requirement holds in any state.
      await sleep(1000);
      sent = performance.now();
      child.kill('SIGTERM');
    },
  });
  return { ...run, tookMs: performance.now() - sent };
}

describe('SIGTERM ends a run with its reports', () => {
  test.each([
    ['while the library is loaded', 'hang-at-load', '"worker"'],
    ['in GetPjrtApi, with all signals blocked', 'hang-in-get-api', '"worker"'],
    ['while the client is created', 'hang-in-client-create', '"worker"'],
    ['while the plugin is looked at', 'hang-in-look', '"worker"'],
    ['in a case, beside a daemon that keeps the streams open', 'hang-beside-daemon', '"start","id":"hostile:compile"'],
    ['when a process does not go away', 'held-by-debugger', '"worker"'],
  ])('%s', { timeout: 60_000 }, async (_, plugin, words) => {
    const { exitCode, events, report, junit, tookMs, leftovers } = await terminated(plugin, words);
    expect(exitCode).toBe(130);
    expect(events.at(-1)).toMatchObject({ type: 'footer', interrupted: true });
    expect(report.complete).toBe(true);
    expect(junit).toContain('</testsuites>');
    expect(tookMs).toBeLessThan(SIGTERM_MS);
    expect(leftovers).toEqual([]);
    for (let patience = 40; patience > 0 && livingProcesses(events).length > 0; patience--) await sleep(50);
    expect(livingProcesses(events)).toEqual([]);
  });
});

test('an interruption before the first worker starts prevents it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-hangs-'));
  try {
    const args = hostile(await buildHostile('hang-at-load'));
    const { status } = await inProcess(args, directory, {}, AbortSignal.abort());
    expect(status).toBe(130);
    const events = [...readEvents(join(directory, 'out', 'events.jsonl'))];
    expect(events.filter((e) => e.type === 'worker')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'footer', interrupted: true });
    expect(existsSync(join(directory, 'out', 'junit.xml'))).toBe(true);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

describe('repeated hangs are not waited for', () => {
  test('a client: once for all cases, once for one that creates its own', { timeout: 120_000 }, async () => {
    const plugin = await buildHostile('hang-in-client-create');
    const args = ['--suite', 'client/create', '--timeout-client', '2s', '--workers', '1', '--output', 'out'];
    const run = await cli(['run', '--plugin', plugin, ...args]);
    expect(run.exitCode).toBe(1);
    const cases = run.report.suites.flatMap((s) => s.cases);
    const timeouts = cases.filter((c) => c.status === 'timeout');
    expect(timeouts).toHaveLength(1);
    const rest = cases.filter((c) => c.status === 'skip').map((c) => c.reason);
    expect(rest.length).toBeGreaterThan(1);
    expect(rest).toContain(
      'PJRT_Client_Create missed its deadline 2 times and never returned: there is no further attempt',
    );
    const killed = run.events.filter((e) => e.type === 'worker' && e.note?.startsWith('the deadline'));
    expect(killed).toHaveLength(2);
  });

  test.each([
    ['run', '--profile', 'jax', '--timeout-load', '3s', '--output', 'out', '--plugin'],
    ['doctor', '--timeout', '3s'],
    ['inspect', '--timeout', '3s'],
  ])('a library: once, by %s', { timeout: 120_000 }, async (...args) => {
    const directory = mkdtempSync(join(tmpdir(), 'pjrt-hangs-'));
    try {
      const env = { HOSTILE_LOADS: join(directory, 'loads') };
      const { exitCode, stdout } = await cli([...args, await buildHostile('hang-at-load')], { env });
      expect(exitCode).toBe(3);
      expect(stdout).toContain('the deadline of 3 s for loading passed in dlopen');
      expect(readFileSync(env.HOSTILE_LOADS, 'utf8')).toBe('.');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

test.each([
  ['segv-in-compile', 'crash', 10],
  ['hang-in-compile', 'timeout', 3],
])('a function that never returns ends few cases: %s', { timeout: 120_000 }, async (name, status, most) => {
  const deadlines = ['--timeout-first', '2s', '--timeout-call', '2s'];
  const selection = ['--suite', 'numerics/binary', '--suite', 'events', '--workers', '1', ...deadlines];
  const run = await cli(['run', '--plugin', await buildHostile(name), '--output', 'out', ...selection]);
  const results = run.events.flatMap((e) => (e.type === 'case' ? [e.result] : []));
  const ended = results.filter((result) => result.status === status);
  expect(ended.map(({ inFlight }) => inFlight)).toEqual(ended.map(() => 'PJRT_Client_Compile'));
  expect(ended.length).toBeGreaterThanOrEqual(most);
  const spared = results.filter(({ reason }) => reason?.includes('it is not called again'));
  // Those end too in which the plugin must refuse the call: they say nothing of others.
  expect(spared.length).toBeGreaterThan(ended.length);
  for (const one of spared) {
    expect(one).toMatchObject({ status: 'skip', cause: { kind: 'failed', call: 'PJRT_Client_Compile' } });
  }
  expect(results.some((result) => result.status === 'pass')).toBe(true);
  expect(run.exitCode).toBe(1);
});

test('SIGUSR1 opens no debugger, and a deleted temporary directory costs nothing', { timeout: 60_000 }, async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'pjrt-hangs-'));
  const checks = ['--suite', 'process/hygiene', '--tests', 'process/hygiene:*'];
  const run = await cli(hostile(await buildHostile('slow-first-transfer'), ...checks), {
    env: { TMPDIR: temporary },
    started: async (child, directory) => {
      const log = join(directory, 'out', 'events.jsonl');
      while (!(existsSync(log) && readFileSync(log, 'utf8').includes('"type":"start"'))) await sleep(20);
      child.kill('SIGUSR1');
      // While a case uses it.
      while (!readdirSync(temporary).some((name) => name.startsWith('pjrt-traces-'))) await sleep(20);
      rmSync(temporary, { recursive: true });
    },
  });
  expect([run.exitCode, run.stderr]).toEqual([0, '']);
  expect(run.events.at(-1)).toMatchObject({ type: 'footer', interrupted: false });
});

test('the reproduction command has the deadlines of the run', { timeout: 60_000 }, async () => {
  const deadlines = ['--timeout-client', '10m', '--timeout-first', '1500ms', '--timeout-call', '1500ms'];
  const run = await cli(hostile(await buildHostile('hang-in-compile'), ...deadlines));
  expect(verdicts(run)['hostile:compile']).toBe('timeout');
  const { reproduce, findings } = run.report.suites[0]!.cases.find((c) => c.id === 'hostile:compile')!;
  expect(reproduce).toContain('--timeout client=10m,first=1500ms,call=1500ms');
  expect(findings?.[0]).toMatchObject({
    message: 'the deadline of 1.5 s for one native call passed in PJRT_Client_Compile',
    detail: 'If it is slow rather than hanging, --timeout call=7500ms gives it more time.',
  });
});

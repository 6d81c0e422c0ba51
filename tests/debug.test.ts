import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { cli, verdicts } from './support/cli.ts';
import { buildHostile } from './support/hostile.ts';

const OWN = ['--suites', packagePath('tests', 'suites'), '--suite', 'hostile', '--workers', '1'];

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-debug-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const args = (plugin: string, ...more: string[]): string[] => [
  'run',
  '--plugin',
  plugin,
  '--output',
  'out',
  ...OWN,
  ...more,
];

test('shows workers, native calls and output of the plugin live, and keeps all of it in files', async () => {
  const plugin = await buildHostile('stdout-control-characters');
  const log = join(directory, 'events.jsonl');
  const { stderr, exitCode } = await cli(args(plugin, '--events', log, '--debug'), {
    env: { TF_CPP_MIN_LOG_LEVEL: undefined, XLA_FLAGS: '--mine=1' },
  });
  const lines = stderr.split('\n');
  const has = (pattern: RegExp): void =>
    expect(
      lines.some((line) => pattern.test(line)),
      String(pattern),
    ).toBe(true);
  has(/^debug: TF_CPP_MIN_LOG_LEVEL=0 /);
  has(/^debug: XLA_FLAGS=--mine=1 /);
  has(/^debug: TF_CPP_VMODULE=/);
  has(/^ +\d+\.\d{3} w1 ---- started, process \d+$/);
  has(/^ +\d+\.\d{3} w1 ---- case hostile:platform-name$/);
  has(/^ +\d+\.\d{3} w1 call PJRT_Client_PlatformName$/);
  has(/^ +\d+\.\d{3} w1 call PJRT_Client_PlatformName OK in \d+\.\d{3} ms$/);
  has(/^ +\d+\.\d{3} w1 out\| .*\]\]>/);
  expect(stderr).not.toMatch(/[\x00-\x08\x0b-\x1f]/);

  const read = (kind: string): string => readFileSync(join(directory, 'workers', `worker-1.${kind}.log`), 'utf8');
  expect(read('stdout')).toMatch(/=== hostile:platform-name\n[\s\S]*\x1b/);
  expect(read('calls')).toMatch(/=== hostile:platform-name\n(?:.*\n)*?PJRT_Client_PlatformName OK in/);
  expect(read('stdout') + read('stderr')).not.toContain('pjrt-conformance');
  const before = readdirSync(join(directory, 'workers')).length;

  const quiet = await cli(args(plugin));
  expect([quiet.stderr, quiet.exitCode]).toEqual(['', exitCode]);
  const again = await cli(args(plugin, '--events', log, '--debug', '--tests', 'hostile:platform-name'));
  expect(again.exitCode).toBe(0);
  expect(readdirSync(join(directory, 'workers')).length).toBeLessThanOrEqual(before);
  expect(read('calls')).not.toContain('hostile:compile');
});

test('the last call in the trace is the one that crashed; verdicts are the same without --debug', async () => {
  const plugin = await buildHostile('segv-in-compile');
  const plain = await cli(args(plugin));
  const debug = await cli(args(plugin, '--debug'));
  expect(verdicts(debug)).toEqual(verdicts(plain));
  expect(debug.stderr).toMatch(/w1 call PJRT_Client_Compile\n.* w1 ---- ended with SIGSEGV\n/);
});

test('logging variables reach the worker, and those of the user are unchanged', async () => {
  const environments: string[] = [];
  const watch = async (cwd: string): Promise<void> => {
    const log = join(cwd, 'out', 'events.jsonl');
    for (let patience = 400; patience > 0 && environments.length === 0; patience--) {
      await sleep(25);
      const pid = existsSync(log) ? /"what":"start","pid":(\d+)/.exec(readFileSync(log, 'utf8'))?.[1] : undefined;
      if (pid) environments.push(readFileSync(`/proc/${pid}/environ`, 'utf8'));
    }
  };
  const plugin = await buildHostile('hang-in-compile');
  let watched: Promise<void> | undefined;
  const run = (env: NodeJS.ProcessEnv) =>
    cli(args(plugin, '--debug', '--tests', 'hostile:compile', '--timeout-call', '1500ms'), {
      env,
      started: (_, cwd) => {
        watched = watch(cwd);
      },
    });
  await run({ TF_CPP_MIN_LOG_LEVEL: undefined });
  await watched;
  expect(environments.pop()?.split('\0')).toContain('TF_CPP_MIN_LOG_LEVEL=0');
  const { stderr } = await run({ TF_CPP_MIN_LOG_LEVEL: '2' });
  await watched;
  expect(environments.pop()?.split('\0')).toContain('TF_CPP_MIN_LOG_LEVEL=2');
  expect(stderr).toMatch(/^debug: set by you, passed on unchanged:\ndebug: TF_CPP_MIN_LOG_LEVEL=2 /m);
});

test('contradicts --quiet', async () => {
  const { exitCode, stderr } = await cli(['run', '--plugin', 'a.so', '--debug', '--quiet']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("error: option '--debug' cannot be used with option '--quiet'");
});

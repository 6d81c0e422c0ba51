import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { debuggerFinding } from './debugger-finding.ts';
import { conclude } from './diagnosis.ts';
import { environmentFindings } from './environment-findings.ts';
import { expand, hardwareFindings, locksOf, type Refusal } from './hardware.ts';
import { similarExports } from './observed.ts';
import { startFindings } from './start-findings.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'doctor-'));
  for (const name of ['accel0', 'accel1', 'accelerate', 'other.so']) writeFileSync(join(directory, name), '');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const facts = { name: 'foo', path: '/p/foo.so', sha256: '', sizeBytes: 1 };

test('names that may be meant for GetPjrtApi', () => {
  const exported = [
    'GetPjRtApi',
    'GetPjrtAPI',
    'getPjrtApi',
    '_Z10GetPjrtApiv',
    'GetPluginApi',
    'GetProcAddress',
    'main',
  ];
  const similar = similarExports(exported.map((name) => ({ name, binding: 'global' })));
  expect(similar).toEqual(['GetPjRtApi', 'GetPjrtAPI', '_Z10GetPjrtApiv', 'getPjrtApi']);
});

test('paths that fit a pattern', () => {
  const numbered = [join(directory, 'accel0'), join(directory, 'accel1')];
  expect(expand(join(directory, 'accel*'))).toEqual([...numbered, join(directory, 'accelerate')]);
  expect(expand(join(directory, 'accel[0-9]*'))).toEqual(numbered);
  expect(expand(join(directory, 'accel[1]'))).toEqual([]);
  expect(expand(join(directory, 'other?so'))).toEqual([]);
  expect(expand('/nowhere/at/all*')).toEqual([]);
});

test.runIf(process.platform === 'linux')('device nodes and lock files: what they mean depends on the client', () => {
  const lock = join(directory, 'lockfile');
  const here = { name: 'a Foo', nodes: [join(directory, 'accel*')], lockFiles: [lock], advice: 'buy one' };
  const gone = { ...here, nodes: [join(directory, 'none*')] };
  const refused = { inUse: false };
  const severities = (hardware: typeof here, refusal?: Refusal) =>
    hardwareFindings(hardware, locksOf(hardware), refusal).map((f) => `${f.id} ${f.severity}`);
  expect(hardwareFindings(undefined, [], refused)).toEqual([]);
  expect(severities(here, refused)).toEqual(['device-node ok']);
  expect(severities(gone, refused)).toEqual(['device-node error']);
  expect(severities(gone)).toEqual(['device-node info']);
  const fd = openSync(lock, 'w');
  try {
    const [held] = hardwareFindings(here, locksOf(here), refused);
    expect(held).toMatchObject({ severity: 'error', what: `a Foo is in use: another process holds ${lock}` });
    expect(held?.evidence.join()).toContain(`process ${process.pid}: `);
  } finally {
    closeSync(fd);
  }
  expect(severities(here, { inUse: true })).toEqual(['lock-file error', 'device-node ok']);
  expect(severities(here, refused)).toEqual(['lock-file info', 'device-node ok']);
});

test('variables: suspects where something failed, values of those that are set', () => {
  const entries = [
    { name: 'A', about: 'does a', suspect: 'set', advice: 'unset it' },
    { name: 'B', about: 'does b' },
    { name: 'C', about: 'does c', suspect: 'unset', advice: 'set it' },
  ] as const;
  const env = { A: '1', B: 'x'.repeat(500) };
  const failed = environmentFindings(entries, env, true);
  expect(failed.map((f) => `${f.severity} ${f.what}`)).toEqual([
    'warning A is set',
    'warning C is not set',
    'info a relevant variable is set',
  ]);
  expect(failed[2]?.evidence[0]?.length).toBeLessThan(230);
  expect(environmentFindings(entries, env, false).map((f) => f.severity)).toEqual(['info']);
  expect(environmentFindings(entries, {}, false)).toEqual([]);
});

test('a death: how, in which call, with the stderr tail', () => {
  const failure = {
    stage: 'client' as const,
    message: 'the process died with SIGABRT in PJRT_Client_Create\nF0000 no chance',
  };
  const [finding] = startFindings({
    facts: { ...facts, failure },
    death: { signal: 'SIGABRT', call: 'PJRT_Client_Create' },
    stderr: [],
  });
  expect(finding).toMatchObject({
    id: 'death',
    what: 'the process died with SIGABRT in PJRT_Client_Create',
    evidence: ['call in progress: PJRT_Client_Create', 'stderr: F0000 no chance'],
    next: expect.stringContaining('failed check'),
  });
});

test('debuggers are never a cause: which are here, and whether they may attach', () => {
  const permission = { scope: 1, capable: false, filtered: false };
  expect(debuggerFinding({ paths: { gdb: '/usr/bin/gdb', rr: '/usr/bin/rr' }, permission })).toEqual({
    id: 'debuggers',
    severity: 'ok',
    what: 'debuggers that are installed: gdb, rr',
    evidence: [
      'gdb: /usr/bin/gdb',
      'lldb: not installed (apt install lldb, dnf install lldb, xcode-select --install)',
      'rr: /usr/bin/rr',
      'kernel.yama.ptrace_scope is 1: they may attach to processes that permit it, as workers do',
    ],
  });
  const permitted = (more: Partial<typeof permission> & { scope?: number | undefined }) =>
    debuggerFinding({ paths: {}, permission: { ...permission, ...more } }).evidence.slice(3);
  expect(debuggerFinding({ paths: {}, permission: undefined })).toMatchObject({ what: 'no debugger is installed' });
  expect(permitted({ scope: 2 })).toEqual([expect.stringContaining('lacks; a container needs --cap-add=SYS_PTRACE')]);
  expect(permitted({ scope: 2, capable: true })).toEqual([expect.stringMatching(/CAP_SYS_PTRACE only, which .* has$/)]);
  expect(permitted({ scope: 3 })).toEqual([expect.stringContaining('nobody may attach')]);
  expect(permitted({ scope: undefined, filtered: true })).toEqual([
    'no kernel.yama.ptrace_scope: they may attach to any process of their user',
    'a seccomp filter is in effect, as in a container, and may forbid ptrace',
  ]);
});

test('the verdict names the first error; errors go first and keep their order', () => {
  const finding = (id: string, severity: 'ok' | 'error' | 'warning') => ({
    id,
    severity,
    what: `${id}!`,
    evidence: [],
  });
  const list = [finding('a', 'ok'), finding('b', 'warning'), finding('c', 'error'), finding('d', 'error')];
  const diagnosis = conclude({ name: 'foo', path: '/p' }, list, 'client', undefined);
  expect(diagnosis.findings.map((f) => f.id)).toEqual(['c', 'd', 'b', 'a']);
  expect(diagnosis).toMatchObject({ usable: false, exitCode: 3, verdict: 'loads, but creates no client: c!' });
  const fine = conclude({ name: 'foo', path: '/p' }, list.slice(0, 2), 'usable', 1);
  expect(fine).toMatchObject({
    usable: true,
    exitCode: 0,
    devices: 1,
    verdict: 'loads and creates a client (1 device)',
  });
  expect(conclude({ name: 'foo', path: '/p' }, [], 'client', undefined).verdict).toContain('an unknown reason');
});

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDesign } from '../tools/designs/design.ts';
import { buildDesigns, manifestOf } from '../tools/designs/plugin.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { type CliRun, cli } from './support/cli.ts';

/** A plugin whose devices belong to one process each, as those of libtpu. */
let directory: string;
let manifest: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-farm-'));
  manifest = join(directory, 'one-process.json');
  const base = { name: 'reference' as const, plugin: await resolveHere('reference') };
  const made = manifestOf(loadDesign('one-process'), base, await buildDesigns());
  const env = { ...(made.env as object), PJRT_DESIGN_ONE_PROCESS: directory };
  writeFileSync(manifest, JSON.stringify({ ...made, env }));
  mkdirSync(join(directory, 'locks'));
  for (const file of [ALL, lockOf(0), lockOf(1)]) writeFileSync(join(directory, 'locks', file), '');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Shared by those that use some of the devices. */
const ALL = 'one-process.lock';
const lockOf = (device: number): string => `one-process@${device}.lock`;

interface On {
  device?: number;
  /** Receives stderr as it is written. */
  said?: (text: string) => void;
}

function run(more: readonly string[], { device, said }: On = {}): Promise<CliRun> {
  const args = [
    'run',
    '--plugin',
    manifest,
    '--no-config',
    '--tests',
    'buffers/metadata:*',
    '--output',
    'out',
    ...more,
  ];
  return cli(args, {
    env: {
      PJRT_CONFORMANCE_LOCKS: join(directory, 'locks'),
      ...(device === undefined ? {} : { PJRT_DESIGN_VISIBLE_DEVICES: String(device) }),
    },
    started: (child) => child.stderr!.on('data', (bytes: Buffer) => said?.(bytes.toString())),
  });
}

/** Another process that holds a device as a run does. @returns a function that kills it */
async function hold(device: number): Promise<() => Promise<void>> {
  const [shared, exclusive] = [
    ['--shared', ALL],
    ['--exclusive', lockOf(device)],
  ].map((lock) => ['--no-fork', ...lock]);
  const holder = spawn('flock', [...shared!, 'flock', ...exclusive!, 'sh', '-c', 'echo held; exec cat'], {
    cwd: join(directory, 'locks'),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => holder.once('close', () => resolve()));
  await new Promise((resolve, reject) => {
    holder.stdout.once('data', resolve);
    holder.once('error', reject);
  });
  return () => {
    holder.kill('SIGKILL');
    return gone;
  };
}

test('a device that is in use is refused without waiting, a free one is not', async () => {
  const end = await hold(1);
  try {
    const busy = await run(['--wait-device', '0'], { device: 1 });
    expect(busy.stderr).toContain('device 1 of one-process is in use');
    expect([busy.exitCode, busy.events]).toEqual([3, []]);
    const whole = await run(['--wait-device', '0']);
    expect(whole.stderr).toContain('one-process is in use');
    expect(whole.exitCode).toBe(3);
    const free = await run(['--wait-device', '0'], { device: 0 });
    expect([free.stderr, free.exitCode]).toEqual(['', 0]);
  } finally {
    await end();
  }
});

test('a run waits for a device, and gets it when its holder is killed', async () => {
  const end = await hold(1);
  const waited = await run([], {
    device: 1,
    said: (text) => {
      if (text.includes('waiting: device 1 of one-process is in use')) void end();
    },
  });
  expect(waited.stderr).toContain('waiting: device 1');
  expect(waited.exitCode).toBe(0);
});

test('runs that start together on one device pass one after the other', async () => {
  const runs = await Promise.all([run([], { device: 0 }), run([], { device: 0 }), run([])]);
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
});

test('every case runs on every device, or each device has a part of them', async () => {
  const rows = ['--device-env', 'PJRT_DESIGN_VISIBLE_DEVICES=0..1'];
  const [each, across, plain] = [await run(rows), await run([...rows, '--across-devices']), await run([])];
  expect(each.stdout).toContain('every case has the same status on all devices that ran it');
  expect(each.junit.match(/<testcase /g)).toHaveLength(2 * plain.junit.match(/<testcase /g)!.length);
  const ids = (events: CliRun['events']) => events.flatMap((e) => (e.type === 'case' ? [e.id] : [])).sort();
  expect(ids(across.events)).toEqual(ids(plain.events));
  expect([each.exitCode, across.exitCode, plain.exitCode]).toEqual([0, 0, 0]);
});

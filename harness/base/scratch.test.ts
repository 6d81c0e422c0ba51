import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scratchDirectory, scratchFile } from './scratch.ts';

const children: ChildProcess[] = [];
let parent: string;
beforeEach(() => {
  parent = realpathSync(mkdtempSync(join(tmpdir(), 'scratch-test-')));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(parent, { recursive: true, force: true });
});

/** The parts of the name of a directory made by this process. */
const mine = (): { start: string; world: string } => {
  const directory = scratchDirectory('test', { places: [parent] });
  rmSync(directory, { recursive: true });
  const [, start, world] = /^pjrt-test-\d+\.(\d+)\.(\w+)-\w{6}$/.exec(basename(directory))!;
  return { start: start!, world: world! };
};

/** A directory as the process with this id would have made it. */
function directoryOf(pid: number, { start, world } = mine()): string {
  const directory = join(parent, `pjrt-conformance-${pid}.${start}.${world}-AbC123`);
  mkdirSync(join(directory, 'deep'), { recursive: true });
  writeFileSync(join(directory, 'deep', 'file'), 'x');
  return directory;
}

const gone = (): number => spawnSync(process.execPath, ['-e', '']).pid;

const waiting = (cwd = parent): ChildProcess => {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("."); setInterval(() => {}, 1000)'], { cwd });
  children.push(child);
  return child;
};

test('a file has no name, and a place that is gone is replaced by the next', () => {
  const [gone, kept] = [join(parent, 'gone'), join(parent, 'kept')];
  mkdirSync(kept);
  const file = scratchFile(5, [gone, kept]);
  expect(fstatSync(file)).toMatchObject({ size: 5, nlink: 0 });
  closeSync(file);
  expect(readdirSync(kept)).toEqual([]);
  expect(scratchDirectory('test', { places: [gone, kept] })).toContain(kept);
  expect(() => scratchFile(0, [gone])).toThrow(
    `no temporary file can be made in any of ${gone} (there is no such file); TMPDIR can name another directory`,
  );
});

test('a place that is deleted while a directory is furnished is replaced by the next', () => {
  const [deleted, kept] = ['deleted', 'kept'].map((name) => join(parent, name)) as [string, string];
  for (const place of [deleted, kept]) mkdirSync(place);
  const furnish = (directory: string) => {
    rmSync(deleted, { recursive: true, force: true });
    mkdirSync(join(directory, 'part'));
  };
  const directory = scratchDirectory('test', { furnish, places: [deleted, kept] });
  expect([directory.startsWith(kept), readdirSync(directory)]).toEqual([true, ['part']]);
});

test('where files go is fixed before anything sets TMPDIR', () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = join(parent, 'of-a-plugin');
  const directory = scratchDirectory('test');
  process.env.TMPDIR = before;
  if (before === undefined) delete process.env.TMPDIR;
  expect(directory).not.toContain('of-a-plugin');
  rmSync(directory, { recursive: true });
});

test('directories of killed processes are removed, without following links in them', () => {
  const kept = join(parent, 'kept');
  mkdirSync(kept);
  writeFileSync(join(kept, 'file'), 'x');
  const left = directoryOf(gone());
  symlinkSync(kept, join(left, 'link'));
  const next = scratchDirectory('fuzz', { places: [parent] });
  expect(readdirSync(parent).sort()).toEqual(['kept', basename(next)].sort());
  expect(existsSync(join(kept, 'file'))).toBe(true);
});

test.skipIf(process.platform !== 'linux')('a reused process id is not the process that made the directory', () => {
  const left = directoryOf(process.pid, { ...mine(), start: '1' });
  scratchDirectory('test', { places: [parent] });
  expect(existsSync(left)).toBe(false);
});

test('directories of living processes stay', () => {
  const [own, other] = [scratchDirectory('test', { places: [parent] }), scratchDirectory('test', { places: [parent] })];
  expect([own, other].map((directory) => existsSync(directory))).toEqual([true, true]);
  const child = waiting();
  // The start time of another process is unknown here, unless the system reports it.
  const stat = spawnSync('sh', ['-c', `sed 's/.*) //' /proc/${child.pid}/stat | cut -d' ' -f20`], { encoding: 'utf8' });
  const theirs = directoryOf(child.pid!, { ...mine(), start: stat.stdout.trim() || '0' });
  scratchDirectory('test', { places: [parent] });
  expect(existsSync(theirs)).toBe(true);
});

test.skipIf(process.platform !== 'linux')(
  'one with a living child of the dead process stays until that ends',
  async () => {
    const left = directoryOf(gone());
    const child = waiting(join(left, 'deep'));
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    scratchDirectory('test', { places: [parent] });
    expect(existsSync(left)).toBe(true);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    scratchDirectory('test', { places: [parent] });
    expect(existsSync(left)).toBe(false);
  },
);

test('what may belong to others stays: other machines and containers, links, files, other names', () => {
  const pid = gone();
  const elsewhere = directoryOf(pid, { ...mine(), world: '00000000' });
  const { start, world } = mine();
  const target = join(parent, 'target');
  mkdirSync(target);
  symlinkSync(target, join(parent, `pjrt-conformance-${pid}.${start}.${world}-Link00`));
  writeFileSync(join(parent, `pjrt-conformance-${pid}.${start}.${world}-File00`), '');
  for (const name of ['pjrt-conformance-AbC123', `pjrt-x-${pid}.${start}.${world}-AbC123.bak`])
    mkdirSync(join(parent, name));
  const names = readdirSync(parent);
  scratchDirectory('test', { places: [parent] });
  expect(readdirSync(parent)).toEqual(expect.arrayContaining(names));
  expect(existsSync(elsewhere)).toBe(true);
});

test.skipIf(process.getuid?.() !== 0)('so does what belongs to another user', () => {
  const left = directoryOf(gone());
  chownSync(left, 12345, 12345);
  scratchDirectory('test', { places: [parent] });
  expect(existsSync(left)).toBe(true);
});

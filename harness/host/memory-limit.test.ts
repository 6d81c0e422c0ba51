import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MemoryLimit } from './memory-limit.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'memory-limit-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

const events = (kills: number): string => `low 0\nhigh 0\nmax 7\noom 3\noom_kill ${kills}\noom_group_kill 9\n`;

test('version 2: the counter of the own group, and the lowest limit of those that contain it', () => {
  write('proc/self/cgroup', '0::/user.slice/job\n');
  write('sys/fs/cgroup/user.slice/job/memory.events', events(4));
  write('sys/fs/cgroup/user.slice/job/memory.max', 'max\n');
  write('sys/fs/cgroup/user.slice/memory.events', events(70));
  write('sys/fs/cgroup/user.slice/memory.max', '1048576\n');
  const limit = new MemoryLimit(root);
  expect(limit.bytes).toBe(1_048_576);
  expect(limit.takeKill()).toBe(false);
  write('sys/fs/cgroup/user.slice/memory.events', events(71));
  expect(limit.takeKill()).toBe(false);
  write('sys/fs/cgroup/user.slice/job/memory.events', events(6));
  expect([limit.takeKill(), limit.takeKill(), limit.takeKill()]).toEqual([true, true, false]);
});

test('version 1, in a container that sees its group as the root', () => {
  write('proc/self/cgroup', '8:pids:/docker/1\n4:cpu,memory:/docker/1\n0::/\n');
  write('sys/fs/cgroup/memory/memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 0\n');
  write('sys/fs/cgroup/memory/memory.limit_in_bytes', '9223372036854771712\n');
  const limit = new MemoryLimit(root);
  expect(limit.bytes).toBeGreaterThan(2 ** 20);
  write('sys/fs/cgroup/memory/memory.oom_control', 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n');
  expect(limit.takeKill()).toBe(true);
});

test('without a group all kills of the machine count, and without any file nothing is known', () => {
  expect(new MemoryLimit(root).takeKill()).toBe(false);
  write('proc/vmstat', 'pgfault 1\noom_kill 5\n');
  const limit = new MemoryLimit(root);
  write('proc/vmstat', 'pgfault 1\noom_kill 6\n');
  expect(limit.takeKill()).toBe(true);
});

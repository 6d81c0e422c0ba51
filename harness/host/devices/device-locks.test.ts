import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import { type DeviceLock, deviceLocks } from './device-locks.ts';
import { readHolder } from './lock-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-locks-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const plugin = (serial: boolean): ResolvedPlugin =>
  ({ name: 'foo', manifest: { name: 'foo', serial, devices: { visibleBy: ['CARDS'] } } }) as unknown as ResolvedPlugin;
const modes = (locks: readonly DeviceLock[]): string[] => locks.map(({ file, mode }) => `${mode} ${file}`);

test('a restricted run locks its devices and shares the rest; others lock all', () => {
  expect(modes(deviceLocks([plugin(true)], { CARDS: '2-3,0' }, false))).toEqual(
    ['shared foo.lock', 'exclusive foo@0.lock', 'exclusive foo@2.lock', 'exclusive foo@3.lock'].sort((a, b) =>
      a.split(' ')[1]! < b.split(' ')[1]! ? -1 : 1,
    ),
  );
  expect(modes(deviceLocks([plugin(true)], { CARDS: '' }, false))).toEqual(['exclusive foo.lock']);
  expect(deviceLocks([plugin(false)], {}, false)).toEqual([]);
  expect(modes(deviceLocks([plugin(false)], {}, true))).toEqual(['exclusive foo.lock']);
});

test('a lock file without a holder names nobody', () => {
  expect(readHolder(directory, 'foo.lock')).toBeUndefined();
});

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openerOf, openPage } from './open-page.ts';

const directory = mkdtempSync(join(tmpdir(), 'pjrt-open-'));
afterAll(() => rmSync(directory, { recursive: true }));

test.each([
  ['darwin', {}, ['open']],
  ['win32', {}, ['cmd', '/c', 'start', '']],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['linux', {}, undefined],
  ['linux', { DISPLAY: '' }, undefined],
] as const)('%s with %j: %j', (platform, env, opener) => expect(openerOf(platform, env)).toEqual(opener));

test('the program of the desktop gets the address; nothing is started without a desktop, or if it has no such program', async () => {
  const seen = join(directory, 'seen');
  writeFileSync(join(directory, 'xdg-open'), `#!/bin/sh\necho "$1" > ${seen}.tmp\nmv ${seen}.tmp ${seen}\n`);
  chmodSync(join(directory, 'xdg-open'), 0o755);
  const env = { PATH: `${directory}:/usr/bin:/bin` };
  expect(await openPage('file:///a', env, 'linux')).toBe(false);
  expect(await openPage('file:///a', { DISPLAY: ':0', PATH: '/nonexistent' }, 'linux')).toBe(false);
  expect(existsSync(seen)).toBe(false);
  expect(await openPage('file:///b%20c', { ...env, DISPLAY: ':0' }, 'linux')).toBe(true);
  await vi.waitFor(() => expect(readFileSync(seen, 'utf8')).toBe('file:///b%20c\n'), { timeout: 10_000 });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { discover } from '../index.ts';
import { resolvePlugin } from './resolve-plugin.ts';

const cwd = mkdtempSync(join(tmpdir(), 'pjrt-resolve-'));
afterAll(() => rmSync(cwd, { recursive: true }));

test('nothing but the plugin has to be given', async () => {
  const path = join(cwd, 'pjrt-plugin-foo.so');
  writeFileSync(path, 'text');
  expect(await resolvePlugin(path)).toMatchObject({ name: 'foo', library: path, options: {} });
  await expect(resolvePlugin('no-such-plugin', {})).rejects.toThrow('no-such-plugin: no plugin of this name');
});

test('options, directory and variables are those of the request', async () => {
  const env = { PJRT_CONFORMANCE_CACHE: join(cwd, 'cache'), PJRT_PLUGIN_LIBRARY_PATH: '.' };
  const found = await resolvePlugin('foo', { cwd, env, options: { num_devices: 2, name: '7' }, fetch: false });
  expect(found.options).toEqual({
    num_devices: { kind: 'int64', value: 2n },
    name: { kind: 'string', value: '7' },
  });
});

test('discover needs no argument', async () => {
  expect((await discover()).map(({ name }) => name)).toContain('reference');
});

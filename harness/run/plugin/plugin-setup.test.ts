import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandEnvironment } from '../../base/environment.ts';
import type { Manifest, ResolvedPlugin } from '../../model/plugin.ts';
import { headerOf } from '../plan/header.ts';
import type { RunOptions } from '../plan/run-options.ts';
import { numericsOf, resolveAll } from './plugin-setup.ts';

const plugin = (numerics?: Manifest['numerics']) =>
  ({ name: 'a', library: '/a.so', manifest: numerics === undefined ? undefined : { numerics } }) as ResolvedPlugin;

test('the option decides on accuracy, then the loosest manifest, then the default', () => {
  expect(numericsOf({}, [plugin()])).toEqual({ profile: 'standard', from: 'default' });
  expect(numericsOf({}, [plugin('strict'), plugin()])).toEqual({ profile: 'strict', from: 'manifest' });
  expect(numericsOf({}, [plugin('strict'), plugin('relaxed')])).toEqual({ profile: 'relaxed', from: 'manifest' });
  expect(numericsOf({ numerics: 'strict' }, [plugin('relaxed')])).toEqual({ profile: 'strict', from: 'option' });
  expect(numericsOf({ mustpass: '1.0' }, [plugin('relaxed')])).toEqual({ profile: 'standard', from: 'default' });
});

test('the header has the profile, and the command that reruns a case has the option', () => {
  const header = (options: Partial<RunOptions>) =>
    headerOf(
      { plugin: ['a.so'], binding: 'now', fetch: true, ...options } as RunOptions,
      { argv: [], cwd: '/', env: {} } as unknown as CommandEnvironment,
      [plugin()],
      'full',
      {},
    );
  expect(header({}).numerics).toEqual({ profile: 'standard', from: 'default' });
  expect(header({}).reproduce).not.toContain('--numerics');
  const chosen = header({ numerics: 'standard' });
  expect(chosen.numerics).toEqual({ profile: 'standard', from: 'option' });
  expect(chosen.reproduce).toContain(' --numerics standard ');
});

test('a repeated name is rejected, ignoring case, with both paths', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-names-'));
  try {
    const [one, two] = ['one.so', 'two.so'].map((name) => join(directory, name));
    for (const file of [one!, two!]) writeFileSync(file, '\x7fELF');
    const environment = {
      cwd: directory,
      env: { HOME: directory },
      stderr: { write: () => true },
    } as unknown as CommandEnvironment;
    const both = resolveAll({ plugin: [`cpu=${one}`, `CPU=${two}`], fetch: false }, environment);
    await expect(both).rejects.toThrow(
      `--plugin CPU=${two}: a plugin named CPU is already loaded\n  ${one}\n  ${two}\n`,
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('the same plugin again gets a number in its name', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pjrt-twins-'));
  try {
    const file = join(directory, 'one.so');
    writeFileSync(file, '\x7fELF');
    const environment = {
      cwd: directory,
      env: { HOME: directory },
      stderr: { write: () => true },
    } as unknown as CommandEnvironment;
    const twins = await resolveAll({ plugin: [file, file, file], fetch: false }, environment);
    expect(twins.map(({ name }) => name)).toEqual(['one', 'one-2', 'one-3']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

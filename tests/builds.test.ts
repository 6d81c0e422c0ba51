import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliRun, cli } from './support/cli.ts';
import { referenceLibrary } from './support/reference.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pjrt-builds-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a manifest runs its build only with --allow-build, or the same in the configuration', async () => {
  const built = join(directory, 'built');
  mkdirSync(join(directory, 'source'));
  writeFileSync(
    join(directory, 'manifest.json'),
    '{"name": "own", "build": {"directory": "source", "library": "own.so"}}',
  );
  writeFileSync(
    join(directory, 'source', 'build.sh'),
    `touch '${built}'\ncp '${await referenceLibrary()}' "$1/own.so"\n`,
  );
  const env = { PJRT_CONFORMANCE_CACHE: join(directory, 'cache'), PJRT_PLUGIN_LIBRARY_PATH: directory };
  const command = (...args: string[]): Promise<CliRun> => cli(args, { cwd: directory, env });
  const part = ['--tests', 'load/table:*'];

  const refused = [
    await command('run', '--plugin', './manifest.json', ...part),
    await command('inspect', './manifest.json'),
    await command('inspect', './manifest.json', '--declare'),
    await command('doctor', './manifest.json'),
  ];
  for (const { exitCode, stderr } of refused) {
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      /own must be built with `sh .*source\/build\.sh` first.*add --allow-build to `run --plugin /,
    );
  }
  expect((await command('discover')).exitCode).toBe(0);
  expect(existsSync(built)).toBe(false);

  writeFileSync(join(directory, 'pjrt-conformance.yaml'), 'plugin: manifest.json\nallow-build: true\n');
  expect((await command('run', ...part)).exitCode).toBe(0);
  expect(existsSync(built)).toBe(true);
  rmSync(join(directory, 'pjrt-conformance.yaml'));
  // Built once, it is a library as any.
  expect((await command('inspect', './manifest.json')).exitCode).toBe(0);
  rmSync(join(directory, 'cache'), { recursive: true });
  expect((await command('run', '--plugin', './manifest.json', '--allow-build', ...part)).exitCode).toBe(0);
});

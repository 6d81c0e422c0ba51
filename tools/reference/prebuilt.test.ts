import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DIGEST_FILE, sourcesDigest } from '../../harness/host/plugins/build-plugin.ts';
import { takePrebuilts } from './prebuilt.ts';

let directory: string;
let sources: string;

const build = (where: string, platform: string, digest: string): void => {
  mkdirSync(join(where, platform), { recursive: true });
  writeFileSync(join(where, platform, DIGEST_FILE), `${digest}\n`);
  writeFileSync(join(where, platform, 'plugin.so'), `${where} for ${platform}`);
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'prebuilt-'));
  sources = join(directory, 'sources');
  mkdirSync(sources);
  writeFileSync(join(sources, 'a.cc'), 'int a;\n');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('what was built from these sources is taken, here and from another machine; what is stale is not', async () => {
  const [digest, from] = [await sourcesDigest(sources), join(directory, 'from')];
  build(join(sources, 'prebuilt'), 'linux-x64', digest);
  build(from, 'linux-arm64', digest);
  build(from, 'darwin-arm64', 'stale');
  expect(await takePrebuilts(from, sources)).toEqual(['linux-arm64', 'linux-x64']);
  const taken = join(sources, 'prebuilt', 'linux-arm64', 'plugin.so');
  expect(readFileSync(taken, 'utf8')).toBe(`${from} for linux-arm64`);
});

test('a library of older sources is removed, and nothing is built instead', async () => {
  build(join(sources, 'prebuilt'), 'linux-x64', await sourcesDigest(sources));
  writeFileSync(join(sources, 'a.cc'), 'int b;\n');
  expect(await takePrebuilts(undefined, sources)).toEqual([]);
  expect(existsSync(join(sources, 'prebuilt', 'linux-x64'))).toBe(false);
});

test('without any there is none', async () => {
  expect(await takePrebuilts(undefined, sources)).toEqual([]);
});

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../base/environment.ts';
import type { PluginPackage, Progress } from '../../model/plugin.ts';
import { fetchPackage } from './fetch-plugin.ts';
import { bytesUnder, classifyFailure, wheelPlatforms } from './installer.ts';
import { makeWheel } from './make-zip.test-helper.ts';
import { resolvePlugin } from './resolve.ts';

const answers = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const hasPip = answers('python3', '-m', 'pip', '--version');
const hasUv = answers('uv', '--version');
/** Whether pip's configured index has the package. */
const indexHas = (name: string): boolean =>
  hasPip && answers('python3', '-m', 'pip', 'index', 'versions', '--retries=0', name);

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fetch-'));
  mkdirSync(join(directory, 'index'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const LIBRARY = 'a small library';
const WHEEL = 'demo_pjrt-1.0-py3-none-any.whl';
const sum = (text: string): string => createHash('sha256').update(text).digest('hex');

const demo = (over: object = {}): PluginPackage => ({
  name: 'demo-pjrt',
  version: '1.0',
  platforms: {
    'linux-x64': {
      wheel: WHEEL,
      wheelBytes: 1000,
      python: '3.12',
      library: 'demo/lib.so',
      sha256: sum(LIBRARY),
      sizeBytes: LIBRARY.length,
      ...over,
    },
  },
});

/** A real installer that only searches our directory: no network. */
const offline = (env: Environment = process.env): Environment => ({
  ...env,
  PIP_NO_INDEX: '1',
  PIP_FIND_LINKS: join(directory, 'index'),
  UV_OFFLINE: '1',
  UV_NO_INDEX: '1',
  UV_FIND_LINKS: join(directory, 'index'),
  UV_CACHE_DIR: join(directory, 'uv-cache'),
});

const publish = (text = LIBRARY): void =>
  writeFileSync(join(directory, 'index', WHEEL), makeWheel('demo_pjrt', '1.0', 'py3-none-any', 'demo/lib.so', text));

const fetchDemo = (of = demo(), over: object = {}): Promise<string> =>
  fetchPackage(of, 'linux-x64', {
    cwd: directory,
    env: offline(),
    cacheDir: join(directory, 'cache'),
    fetch: true,
    ...over,
  });

const staging = (): string[] => readdirSync(join(directory, 'cache', 'staging'));

/** A directory with only these programs, as the whole PATH. */
const pathWith = (...programs: string[]): string => {
  const bin = mkdtempSync(join(directory, 'bin-'));
  for (const program of programs) {
    const real = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, program), `#!/bin/sh\nPATH='${process.env.PATH}' exec '${real}' "$@"\n`, { mode: 0o755 });
  }
  return bin;
};

describe.skipIf(!hasPip)('fetchPackage with pip', () => {
  it('fetches and verifies the library, and does nothing the second time', async () => {
    publish();
    const seen: Progress[] = [];
    const library = await fetchDemo(demo(), { onProgress: (at: Progress) => seen.push(at) });
    expect(readFileSync(library, 'utf8')).toBe(LIBRARY);
    expect(staging()).toEqual([]);
    expect(seen[0]).toMatchObject({ phase: 'download', what: 'demo-pjrt 1.0', totalBytes: 1000 });
    expect(seen.at(-1)).toMatchObject({ phase: 'unpack', doneBytes: LIBRARY.length });
    seen.length = 0;
    const noInstaller = { ...offline(), PATH: join(directory, 'index') };
    expect(
      await fetchDemo(demo(), { env: noInstaller, fetch: false, onProgress: (at: Progress) => seen.push(at) }),
    ).toBe(library);
    expect(seen).toEqual([]);
  });

  it('replaces a damaged file of the cache', async () => {
    publish();
    const library = await fetchDemo();
    writeFileSync(library, 'x'.repeat(LIBRARY.length));
    expect(await fetchDemo()).toBe(library);
    expect(readFileSync(library, 'utf8')).toBe(LIBRARY);
  });

  it('is safe to run several times at once', async () => {
    publish();
    const libraries = await Promise.all([fetchDemo(), fetchDemo(), fetchDemo()]);
    expect(new Set(libraries).size).toBe(1);
    expect(readFileSync(libraries[0] ?? '', 'utf8')).toBe(LIBRARY);
    expect(staging()).toEqual([]);
  });

  it('keeps nothing of another build, and reports both hashes', async () => {
    const other = 'A SMALL LIBRARY';
    publish(other);
    const failed = fetchDemo();
    await expect(failed).rejects.toMatchObject({ code: 'hash-mismatch' });
    await expect(failed).rejects.toThrow(`expected sha256 ${sum(LIBRARY)}, got ${sum(other)}`);
    expect(staging()).toEqual([]);
    expect(existsSync(join(directory, 'cache', 'plugins'))).toBe(false);
  });

  it('reports that the index has no such wheel', async () => {
    const failed = fetchDemo();
    await expect(failed).rejects.toMatchObject({ code: 'no-wheel', detail: expect.stringContaining('demo-pjrt') });
    await expect(failed).rejects.toThrow(`no wheel ${WHEEL} was found`);
    expect(staging()).toEqual([]);
  });

  it('reports that the index cannot be reached', async () => {
    // Port 9 of loopback: nothing listens there, and nothing leaves the machine.
    const env = { ...offline(), PIP_NO_INDEX: '0', PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_RETRIES: '1' };
    const failed = fetchDemo(demo(), { env: { ...env, PATH: pathWith('python3') } });
    await expect(failed).rejects.toMatchObject({ code: 'no-network' });
    await expect(failed).rejects.toThrow('the package index cannot be reached');
  });

  it('stops when aborted, and cleans up', async () => {
    publish();
    const controller = new AbortController();
    const failed = fetchDemo(demo(), { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(failed).rejects.toMatchObject({ name: 'AbortError' });
    expect(staging()).toEqual([]);
  });
});

describe.skipIf(!hasUv)('fetchPackage with uv', () => {
  it('fetches the library without pip', async () => {
    publish();
    const library = await fetchDemo(demo(), { env: { ...offline(), PATH: pathWith('uv') } });
    expect(readFileSync(library, 'utf8')).toBe(LIBRARY);
    expect(statSync(library).isFile()).toBe(true);
    expect(staging()).toEqual([]);
  });

  it('reports that the index has no such wheel', async () => {
    await expect(fetchDemo(demo(), { env: { ...offline(), PATH: pathWith('uv') } })).rejects.toMatchObject({
      code: 'no-wheel',
    });
  });
});

describe('fetchPackage without an installer', () => {
  it('reports that neither pip nor uv is there', async () => {
    const failed = fetchDemo(demo(), { env: { PATH: join(directory, 'index') } });
    await expect(failed).rejects.toMatchObject({ code: 'no-installer' });
    await expect(failed).rejects.toThrow('neither pip nor uv was found');
  });

  it('reports that the platform has no build, or that fetching is off', async () => {
    const context = { cwd: directory, env: {}, cacheDir: join(directory, 'cache'), fetch: false };
    await expect(fetchPackage(demo(), 'darwin-arm64', context)).rejects.toThrow('no known build for darwin-arm64');
    await expect(fetchPackage(demo(), 'linux-x64', context)).rejects.toMatchObject({ code: 'fetch-off' });
  });

  it.skipIf(!hasPip)('reports a cache that is not writable', async () => {
    writeFileSync(join(directory, 'file'), '');
    await expect(fetchDemo(demo(), { cacheDir: join(directory, 'file') })).rejects.toThrow(
      'set PJRT_CONFORMANCE_CACHE',
    );
  });
});

describe('installers', () => {
  it('reads platform tags from the wheel’s name', () => {
    expect(wheelPlatforms('a-1-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl')).toEqual([
      'manylinux2014_x86_64',
      'manylinux_2_17_x86_64',
    ]);
  });

  it('distinguishes failures', () => {
    expect(classifyFailure('Retrying … NewConnectionError …\nERROR: No matching distribution found for a')).toBe(
      'no-network',
    );
    expect(classifyFailure('ERROR: No matching distribution found for a')).toBe('no-wheel');
    expect(classifyFailure('No space left on device')).toBe('fetch-failed');
  });

  it('counts bytes', async () => {
    mkdirSync(join(directory, 'a', 'b'), { recursive: true });
    writeFileSync(join(directory, 'a', 'b', 'c'), '12345');
    expect(await bytesUnder(join(directory, 'a'))).toBe(5);
    expect(await bytesUnder(join(directory, 'none'))).toBe(0);
  });
});

// Sixty megabytes over the network: only if pip's own index has the package.
describe.skipIf(process.arch !== 'x64' || process.platform !== 'linux' || !indexHas('xla-cpu-pjrt'))(
  'the real xla-cpu',
  () => {
    it("is fetched by name and matches the manifest's hash", async () => {
      const context = {
        cwd: directory,
        env: process.env,
        cacheDir: join(directory, 'cache'),
        optionArgs: [],
        fetch: true,
      };
      const found = await resolvePlugin('xla-cpu', context);
      expect(found).toMatchObject({
        name: 'xla-cpu',
        foundBy: expect.stringMatching(/^known plugin /),
        recognisedBy: 'sha256',
        sizeBytes: 259284552,
      });
    });
  },
);

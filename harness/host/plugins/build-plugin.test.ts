import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Progress, ResolvedPlugin } from '../../model/plugin.ts';
import { DIGEST_FILE, sourcesDigest } from './build-plugin.ts';
import { discover } from './discover.ts';
import { knownFrom } from './known.ts';
import { readManifest } from './manifest.ts';
import { currentPlatform, type ResolveContext, resolvePlugin } from './resolve.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'build plugin ')); // a space, as in real home directories
  put('known/demo.yaml', 'name: demo\nbuild: {directory: ../demo, library: pjrt-plugin-demo.so}\n');
  put('demo/base/a.cc', 'first');
  put('demo/build.sh', BUILD);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A fake compiler: the library is a copy of the source, and a file counts the builds. */
const BUILD = `
echo "compile base/a.cc"
echo built >>"$(dirname "$0")/builds.log"
cat "$(dirname "$0")/base/a.cc" >"$1/pjrt-plugin-demo.so"
`;

const put = (path: string, text: string): string => {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

const builds = (): number =>
  existsSync(join(directory, 'demo/builds.log'))
    ? readFileSync(join(directory, 'demo/builds.log'), 'utf8').length / 6
    : 0;

const resolveDemo = (
  env: Record<string, string> = {},
  onProgress?: (p: Progress) => void,
  over: Partial<ResolveContext> = {},
): Promise<ResolvedPlugin> =>
  resolvePlugin(join(directory, 'known/demo.yaml'), {
    cwd: directory,
    env: { PATH: process.env.PATH, ...env },
    cacheDir: join(directory, 'cache'),
    optionArgs: [],
    fetch: false,
    build: 'any',
    ...(onProgress ? { onProgress } : {}),
    ...over,
  });

const textOf = ({ library }: ResolvedPlugin): string => readFileSync(library, 'utf8');

describe('a plugin with sources', () => {
  it('is built once into the cache, and again when a source changes', async () => {
    const seen: Progress[] = [];
    const first = await resolveDemo({}, (progress) => seen.push(progress));
    expect(first).toMatchObject({ name: 'demo', foundBy: expect.stringMatching(/^manifest /), warnings: [] });
    expect(first.library.startsWith(join(directory, 'cache', 'built', 'demo'))).toBe(true);
    expect(textOf(first)).toBe('first');
    expect(seen.filter((p) => p.phase === 'build').at(-1)).toMatchObject({ what: 'demo', doneBytes: 5, totalBytes: 5 });
    expect((await resolveDemo()).library).toBe(first.library);
    expect(builds()).toBe(1);

    put('demo/base/a.cc', 'second');
    expect(textOf(await resolveDemo())).toBe('second');
    expect(builds()).toBe(2);
    expect(readdirSync(join(directory, 'cache', 'staging'))).toEqual([]);
  });

  it('is built only if it is one of the package, or the user allows it', async () => {
    const own = resolveDemo({}, undefined, { build: undefined });
    await expect(own).rejects.toMatchObject({ code: 'build-off' });
    await expect(own).rejects.toThrow(
      /demo\.yaml: demo must be built with `sh .*demo\/build\.sh` first, .*; add --allow-build to `run --plugin .*demo\.yaml` .* or give the path of a library: --plugin demo=/,
    );
    const known = knownFrom([await readManifest(join(directory, 'known/demo.yaml'))]);
    await expect(resolveDemo({}, undefined, { build: 'none', known })).rejects.toMatchObject({ code: 'build-off' });
    expect(builds()).toBe(0);
    const { library } = await resolveDemo({}, undefined, { build: 'known', known });
    // What was built may be used.
    expect((await resolveDemo({}, undefined, { build: 'none' })).library).toBe(library);
    expect(builds()).toBe(1);
  });

  it('is built in an environment of what builds need and the manifest names', async () => {
    put('known/demo.yaml', `${readFileSync(join(directory, 'known/demo.yaml'), 'utf8')}env: {DEMO_MODE: fast}\n`);
    put('demo/build.sh', `${BUILD}\nenv >"$(dirname "$0")/environment.txt"\n`);
    await resolveDemo({
      HOME: '/h',
      CXXFLAGS: '-O0',
      https_proxy: 'x',
      DEMO_MODE: 'a',
      GITHUB_TOKEN: 'b',
      LD_PRELOAD: '',
    });
    const names = readFileSync(join(directory, 'demo/environment.txt'), 'utf8').match(/^\w+(?==)/gm);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'CXXFLAGS', 'https_proxy', 'DEMO_MODE']));
    expect(names).not.toEqual(expect.arrayContaining(['GITHUB_TOKEN']));
    expect(names).not.toEqual(expect.arrayContaining(['LD_PRELOAD']));
  });

  it('is built separately for a custom compiler or flags', async () => {
    const plain = await resolveDemo();
    expect((await resolveDemo({ CXXFLAGS: '-O0' })).library).not.toBe(plain.library);
    expect((await resolveDemo({ CXX: 'clang++' })).library).not.toBe(plain.library);
    expect(builds()).toBe(3);
  });

  it('is used prebuilt if that library was built from the same sources', async () => {
    const prebuilt = put(`demo/prebuilt/${currentPlatform()}/pjrt-plugin-demo.so`, 'prebuilt');
    put(`demo/prebuilt/${currentPlatform()}/${DIGEST_FILE}`, `${await sourcesDigest(join(directory, 'demo'))}\n`);
    expect((await resolveDemo()).library).toBe(prebuilt);
    put('demo/base/a.cc', 'changed');
    expect(textOf(await resolveDemo())).toBe('changed');
  });

  it('reports what to install if there is no compiler', async () => {
    put('demo/build.sh', 'exit 3\n');
    await expect(resolveDemo()).rejects.toMatchObject({
      code: 'no-compiler',
      message: expect.stringMatching(/install g\+\+ or clang\+\+ .* or name one in CXX, or give the path of a library/),
    });
    await expect(resolveDemo({ PATH: join(directory, 'nothing') })).rejects.toMatchObject({ code: 'no-compiler' });
  });

  it('shows the end of the compiler’s output', async () => {
    put('demo/build.sh', 'echo "a.cc:1: error: no such thing" >&2\nexit 1\n');
    await expect(resolveDemo()).rejects.toMatchObject({
      code: 'build-failed',
      detail: 'a.cc:1: error: no such thing',
    });
    put('demo/build.sh', 'exit 0\n');
    await expect(resolveDemo()).rejects.toMatchObject({ code: 'build-failed' });
    rmSync(join(directory, 'demo/build.sh'));
    await expect(resolveDemo()).rejects.toThrow('there is no build.sh');
  });

  it.skipIf(process.getuid?.() === 0)('reports a cache that is not writable', async () => {
    mkdirSync(join(directory, 'cache'));
    chmodSync(join(directory, 'cache'), 0o500);
    await expect(resolveDemo()).rejects.toThrow('set PJRT_CONFORMANCE_CACHE');
    chmodSync(join(directory, 'cache'), 0o700);
  });

  it('is listed as buildable, then as usable', async () => {
    const known = [await readManifest(join(directory, 'known/demo.yaml'))];
    const context = { cacheDir: join(directory, 'cache'), known };
    expect(await discover({}, directory, context)).toMatchObject([{ name: 'demo', status: 'buildable' }]);
    const { library } = await resolveDemo();
    expect(await discover({}, directory, context)).toMatchObject([{ name: 'demo', status: 'usable', library }]);
  });
});

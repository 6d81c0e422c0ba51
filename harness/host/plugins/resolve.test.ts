import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../base/environment.ts';
import type { Manifest, ResolvedPlugin } from '../../model/plugin.ts';
import { parseConfig } from './config-file.ts';
import { discover, formatDiscovery, formatDiscoveryJson } from './discover.ts';
import { cachedLibraryPath } from './fetch-plugin.ts';
import { knownFrom } from './known.ts';
import { toManifest } from './manifest.ts';
import { checkPluginSpec, type ResolveContext, resolvePlugin } from './resolve.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'resolve-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const put = (path: string, text = 'library'): string => {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

const sum = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A manifest as in the package: pins the library text "pinned". */
const demo = (): Manifest =>
  toManifest(
    parseConfig(
      join(directory, 'known', 'demo.yaml'),
      `
name: demo
package:
  name: demo-pjrt
  version: '1.0'
  platforms:
    linux-x64: {wheel: demo_pjrt-1.0-py3-none-any.whl, python: '3.12', library: demo/lib_demo.so, sha256: ${sum('pinned')}, sizeBytes: 6}
libraryNames: [lib_demo.so]
env: {DEMO_A: '1', DEMO_B: '2', DEMO_HOME: '\${LIBRARY_DIR}/share'}
options: {level: 1, fraction: 0.5}
knownOptions:
  level: {kind: int64, description: x}
  fraction: {kind: float, description: x}
deviations: [{cases: 'a:*', requirement: R-1, reason: because, evidence: measured}]
`,
    ),
  );
const pathOnly = (): Manifest =>
  toManifest(
    parseConfig(join(directory, 'known', 'vendor.yaml'), 'name: vendor\nlibraryNames: [v.so]\nnotes: Ask them.\n'),
  );

const context = (over: Partial<ResolveContext> = {}): ResolveContext => ({
  cwd: directory,
  env: {},
  cacheDir: join(directory, 'cache'),
  optionArgs: [],
  fetch: false,
  platform: 'linux-x64',
  known: knownFrom([demo(), pathOnly()]),
  ...over,
});
const go = (spec: string, over: Partial<ResolveContext> = {}): Promise<ResolvedPlugin> =>
  resolvePlugin(spec, context(over));

describe('a path', () => {
  it.each([
    ['./pjrt-plugin-foo.so', 'foo'],
    ['pjrt-plugin-foo.so', 'foo'],
    ['sub/pjrt-plugin-foo.bar.so', 'foo.bar'],
    ['./pjrt-plugin-foo.dylib', 'foo'],
    ['./pjrt-plugin-foo.dll', 'foo'],
    ['./libmine.so.1', 'libmine'],
    ['./no-suffix', 'no-suffix'],
  ])('%s gives the name %s', async (spec, name) => {
    const library = put(spec);
    expect(await go(spec)).toMatchObject({
      name,
      library,
      foundBy: expect.stringMatching(/^--plugin /),
      sha256: sum('library'),
      sizeBytes: 7,
      options: {},
    });
  });

  it('wins over a known name if the file exists, and may be absolute or under HOME', async () => {
    put('demo', 'mine');
    expect(await go('demo')).toMatchObject({
      name: 'demo',
      foundBy: expect.stringMatching(/^--plugin /),
      sha256: sum('mine'),
    });
    const library = put('home/x.so');
    expect((await go(library)).library).toBe(library);
    expect((await go('~/x.so', { env: { HOME: join(directory, 'home') } })).library).toBe(library);
  });

  it('is recognised by the hash of the library, and everything known applies', async () => {
    const library = put('any/renamed.so', 'pinned');
    mkdirSync(join(directory, 'any', 'share'));
    const found = await go(library, { env: { DEMO_B: 'mine' } });
    expect(found).toMatchObject({
      name: 'demo',
      recognisedBy: 'sha256',
      env: { DEMO_A: '1', DEMO_HOME: join(directory, 'any', 'share') },
      options: { level: { kind: 'int64', value: 1n }, fraction: { kind: 'float', value: 0.5 } },
      warnings: [],
    });
    expect(found.env).not.toHaveProperty('DEMO_B');
    expect(found.manifest?.deviations).toHaveLength(1);
  });

  it('is recognised by its file name as another build, without the deviations', async () => {
    put('lib_demo.so', 'another build');
    const found = await go('./lib_demo.so');
    expect(found).toMatchObject({ name: 'demo', recognisedBy: 'file-name', env: { DEMO_A: '1', DEMO_B: '2' } });
    // That directory does not exist beside this library.
    expect(found.env).not.toHaveProperty('DEMO_HOME');
    expect(found.manifest?.deviations).toEqual([]);
    expect(found.warnings[0]).toContain(
      'not the build that the manifest demo pins (demo-pjrt 1.0; recognised by its file-name)',
    );
  });

  it('may be a directory with one plugin in it', async () => {
    put('one/pjrt-plugin-foo.so');
    put('one/helper.so');
    expect(await go('./one')).toMatchObject({ name: 'foo' });
    put('one/pjrt-plugin-bar.so');
    await expect(go('./one')).rejects.toThrow(
      'is a directory with 2 plugins named pjrt-plugin-<name>.so or .json, expected one (it holds helper.so, pjrt-plugin-bar.so, pjrt-plugin-foo.so)',
    );
    mkdirSync(join(directory, 'none'));
    await expect(go('./none')).rejects.toThrow('(it contains no library)');
  });

  it('may have a name', async () => {
    const library = put('x.so');
    expect(await go('old=./x.so')).toMatchObject({
      name: 'old',
      library,
      foundBy: expect.stringMatching(/^--plugin /),
    });
    expect(await go('vendor=./x.so')).toMatchObject({
      name: 'vendor',
      recognisedBy: 'name',
      manifest: { notes: 'Ask them.' },
    });
    expect(await go('demo=./x.so')).toMatchObject({ name: 'demo', recognisedBy: 'name', manifest: { deviations: [] } });
  });

  it('that is missing is reported', async () => {
    put('pjrt-plugin-foo.so');
    await expect(go('./pjrt-plugin-fo.so')).rejects.toThrow('did you mean "pjrt-plugin-foo.so"?');
    await expect(go('nothing.so')).rejects.toMatchObject({ code: 'plugin-not-found' });
    await expect(go('')).rejects.toThrow('--plugin is empty');
  });
});

describe('a manifest', () => {
  it('names its library relative to itself', async () => {
    const library = put('lib/a.so');
    put('conf/m.yaml', 'name: mine\nlibrary: ../lib/a.so\noptions: {n: 1, f: 1.0}\nserial: true\n');
    expect(await go('conf/m.yaml', { optionArgs: ['n=2', 's=text'] })).toMatchObject({
      name: 'mine',
      library,
      foundBy: expect.stringMatching(/^manifest /),
      options: {
        n: { kind: 'int64', value: 2n },
        f: { kind: 'float', value: 1 },
        s: { kind: 'string', value: 'text' },
      },
      manifest: { serial: true },
    });
  });

  it('finds the library beside it', async () => {
    const library = put('pjrt-plugin-foo.so');
    put('pjrt-plugin-foo.json', '{"create_options": {"visible_devices": [0, 1]}}');
    expect(await go('./pjrt-plugin-foo.json')).toMatchObject({
      name: 'foo',
      library,
      options: { visible_devices: { kind: 'int64_list', value: [0n, 1n] } },
    });
  });

  it('that is invalid is reported with its location', async () => {
    put('m.json', '{"library_path": 5}');
    await expect(go('./m.json')).rejects.toThrow(
      `${join(directory, 'm.json')}:1:18: library_path: wrong type, expected text`,
    );
    put('gone.yaml', 'library: nowhere.so\n');
    await expect(go('./gone.yaml')).rejects.toThrow(
      `manifest ${join(directory, 'gone.yaml')}: no such file: ${join(directory, 'nowhere.so')}`,
    );
    put('empty.yaml', 'name: empty\n');
    await expect(go('./empty.yaml')).rejects.toMatchObject({
      code: 'plugin-needs-path',
      message: expect.stringContaining(`${join(directory, 'empty.yaml')}: empty: this manifest has no library`),
    });
    put('sources.yaml', 'name: sources\nbuild: {directory: gone, library: a.so}\n');
    await expect(go('./sources.yaml')).rejects.toMatchObject({
      code: 'plugin-not-found',
      message: expect.stringContaining(
        `${join(directory, 'sources.yaml')}: build.directory: cannot be read: there is no such directory`,
      ),
    });
    put('ends.yaml', 'name: ends\nbuild: {directory: "go\\nne", library: a.so}\n');
    await expect(go('./ends.yaml')).rejects.toMatchObject({ message: expect.not.stringContaining('\n') });
    put('loop.yaml', 'name: loop\noptions: &a { b: *a }\n');
    await expect(go('./loop.yaml')).rejects.toThrow(/loop\.yaml:1:1: /);
    put('missing.yaml', 'name: missing\noptions: *none\n');
    await expect(go('./missing.yaml')).rejects.toThrow(/missing\.yaml:2:10: Unresolved alias/);
    symlinkSync('/dev/zero', join(directory, 'endless.yaml'));
    await expect(go('./endless.yaml')).rejects.toThrow('endless.yaml');
  });
});

describe('a name', () => {
  it('is searched on the search path before the known ones', async () => {
    const first = put('d1/pjrt-plugin-demo.so', 'mine');
    put('d2/pjrt-plugin-demo.so', 'second');
    const env: Environment = { PJRT_PLUGIN_LIBRARY_PATH: `${directory}/none:d1:${directory}/d2` };
    expect(await go('DEMO', { env })).toMatchObject({
      name: 'demo',
      library: first,
      foundBy: 'PJRT_PLUGIN_LIBRARY_PATH entry d1',
    });
  });

  it('comes from a JSON file on the search path, with its options', async () => {
    const library = put('elsewhere/real.so');
    put('d/pjrt-plugin-foo.json', '{"library_path": "../elsewhere/real.so", "config_values": {"a": "file", "b": 1.5}}');
    put('d/pjrt-plugin-foo.so', 'not this one');
    const env: Environment = { PJRT_PLUGIN_LIBRARY_PATH: join(directory, 'd') };
    expect(await go('foo', { env, optionArgs: ['a=line'] })).toMatchObject({
      name: 'foo',
      library,
      foundBy: expect.stringMatching(/ entry /),
      options: { a: { kind: 'string', value: 'line' }, b: { kind: 'float', value: 1.5 } },
    });
  });

  it('comes from JAX’s variable', async () => {
    const library = put('x/anything.so');
    const env: Environment = { PJRT_NAMES_AND_LIBRARY_PATHS: `bad,xpu:${library}` };
    expect(await go('xpu', { env })).toMatchObject({ name: 'xpu', library, foundBy: expect.stringMatching(/ entry /) });
  });

  it('is taken from the cache and verified', async () => {
    const { package: of } = demo();
    const library = of?.platforms['linux-x64'];
    if (of === undefined || library === undefined) throw new Error('the manifest lost its package');
    const cached = cachedLibraryPath(join(directory, 'cache'), of, 'linux-x64', library);
    mkdirSync(dirname(cached), { recursive: true });
    writeFileSync(cached, 'pinned');
    expect(await go('demo')).toMatchObject({
      name: 'demo',
      library: cached,
      foundBy: expect.stringMatching(/^known plugin /),
      recognisedBy: 'sha256',
    });
    writeFileSync(cached, 'forged');
    await expect(go('demo')).rejects.toMatchObject({ code: 'fetch-off' });
  });

  it('that is unavailable is reported with the reason', async () => {
    await expect(go('demo')).rejects.toThrow('is not in the cache');
    await expect(go('demo', { platform: 'linux-riscv64' })).rejects.toThrow(
      'no known build for linux-riscv64 (there is one for linux-x64)',
    );
    await expect(go('vendor')).rejects.toMatchObject({
      message: expect.stringMatching(/give the path: --plugin vendor=\/path\/to\/v\.so$/),
      detail: '  Ask them.',
    });
    await expect(go('dmeo')).rejects.toThrow('no plugin of this name; did you mean "demo"? Known: demo, vendor.');
  });
});

describe('options', () => {
  it('take their type from the manifest, and unknown ones cause a warning', async () => {
    put('lib_demo.so', 'pinned');
    const found = await go('./lib_demo.so', { optionArgs: ['fraction=1', 'levle=3', 'other=1'] });
    expect(found.options).toMatchObject({ fraction: { kind: 'float', value: 1 }, levle: { kind: 'int64', value: 3n } });
    expect(found.warnings).toEqual([
      'the manifest demo does not know the create option "levle"; did you mean "level"?',
      'the manifest demo does not know the create option "other"',
    ]);
  });

  it('that are wrong are reported before anything is fetched', async () => {
    await expect(go('demo', { optionArgs: ['level=x'] })).rejects.toMatchObject({ code: 'option-invalid' });
  });
});

describe('discover', () => {
  it('lists what is found where, in order, and why a file is skipped', async () => {
    put('d/pjrt-plugin-foo.so');
    put('d/pjrt-plugin-foo.json', '{"description": "A demo."}');
    put('d/pjrt-plugin-empty.so', '');
    put('d/libother.so');
    put('d/README.md');
    put('d/pjrt-plugin-wrong.json', '{');
    put('second/pjrt-plugin-FOO.so');
    put('text.txt');
    const single = put('single.so');
    put('venv/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so');
    const env: Environment = {
      PJRT_PLUGIN_LIBRARY_PATH: ['d', 'second', 'text.txt', 'single.so', 'gone'].join(':'),
      PJRT_NAMES_AND_LIBRARY_PATHS: `demo:${single}`,
      VIRTUAL_ENV: join(directory, 'venv'),
    };
    const found = await discover(env, directory, {
      cacheDir: join(directory, 'cache'),
      platform: 'linux-x64',
      known: [demo(), pathOnly()],
    });
    expect(
      found.map(({ source, name, status, reason }) => [source, name, status, reason?.replaceAll(directory, '~')]),
    ).toEqual([
      ['PJRT_PLUGIN_LIBRARY_PATH', undefined, 'ignored', 'not named pjrt-plugin-<name>.so or .json'],
      [
        'PJRT_PLUGIN_LIBRARY_PATH',
        'empty',
        'ignored',
        'PJRT_PLUGIN_LIBRARY_PATH: ~/d/pjrt-plugin-empty.so is empty, expected a shared library',
      ],
      ['PJRT_PLUGIN_LIBRARY_PATH', 'foo', 'usable', undefined],
      ['PJRT_PLUGIN_LIBRARY_PATH', undefined, 'ignored', 'pjrt-plugin-foo.json beside it describes this plugin'],
      [
        'PJRT_PLUGIN_LIBRARY_PATH',
        'wrong',
        'ignored',
        '~/d/pjrt-plugin-wrong.json:1:2: not valid JSON: unexpected end of the file',
      ],
      ['PJRT_PLUGIN_LIBRARY_PATH', 'FOO', 'ignored', 'the name is taken by ~/d/pjrt-plugin-foo.json'],
      ['PJRT_PLUGIN_LIBRARY_PATH', undefined, 'ignored', 'neither a directory nor a .so or .json file'],
      ['PJRT_PLUGIN_LIBRARY_PATH', 'single', 'usable', undefined],
      ['PJRT_PLUGIN_LIBRARY_PATH', undefined, 'ignored', 'there is no such file'],
      ['PJRT_NAMES_AND_LIBRARY_PATHS', 'demo', 'usable', undefined],
      ['known', 'demo', 'ignored', `the name is taken by PJRT_NAMES_AND_LIBRARY_PATHS entry demo:~/single.so`],
      ['known', 'vendor', 'needs-path', 'give the library: --plugin vendor=/path/to/v.so'],
      [
        'python',
        undefined,
        'ignored',
        'used by path only: --plugin ~/venv/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so',
      ],
    ]);
    expect(formatDiscovery(found).replaceAll(directory, '~')).toMatchInlineSnapshot(`
      "PJRT_PLUGIN_LIBRARY_PATH:
        -              ignored     ~/d/libother.so
                                   not named pjrt-plugin-<name>.so or .json
        empty          ignored     ~/d/pjrt-plugin-empty.so
                                   PJRT_PLUGIN_LIBRARY_PATH: ~/d/pjrt-plugin-empty.so is empty, expected a shared library
        foo            usable      A demo.
                                   ~/d/pjrt-plugin-foo.so
        -              ignored     ~/d/pjrt-plugin-foo.so
                                   pjrt-plugin-foo.json beside it describes this plugin
        wrong          ignored     ~/d/pjrt-plugin-wrong.json
                                   ~/d/pjrt-plugin-wrong.json:1:2: not valid JSON: unexpected end of the file
        FOO            ignored     ~/second/pjrt-plugin-FOO.so
                                   the name is taken by ~/d/pjrt-plugin-foo.json
        -              ignored     ~/text.txt
                                   neither a directory nor a .so or .json file
        single         usable      ~/single.so
        -              ignored     ~/gone
                                   there is no such file
      PJRT_NAMES_AND_LIBRARY_PATHS:
        demo           usable      ~/single.so
      Known plugins:
        demo           ignored     the name is taken by PJRT_NAMES_AND_LIBRARY_PATHS entry demo:~/single.so
        vendor         needs-path  give the library: --plugin vendor=/path/to/v.so
      Active Python environment:
        -              ignored     ~/venv/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so
                                   used by path only: --plugin ~/venv/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so
      "
    `);
    expect(JSON.parse(formatDiscoveryJson(found))).toEqual({ plugins: JSON.parse(JSON.stringify(found)) });
  });

  it('shows whether a known plugin is in the cache', async () => {
    const cacheDir = join(directory, 'cache');
    const discovered = () => discover({}, directory, { cacheDir, platform: 'linux-x64', known: [demo()] });
    expect((await discovered())[0]).toMatchObject({
      status: 'fetchable',
      reason: 'not in the cache; fetched on first use (demo-pjrt 1.0)',
    });
    const { package: of } = demo();
    const cached = cachedLibraryPath(cacheDir, of!, 'linux-x64', of!.platforms['linux-x64']!);
    mkdirSync(dirname(cached), { recursive: true });
    writeFileSync(cached, 'pinned');
    expect((await discovered())[0]).toMatchObject({ status: 'usable', library: cached });
  });

  it.skipIf(process.getuid?.() === 0)('skips an unreadable directory', async () => {
    mkdirSync(join(directory, 'closed'));
    chmodSync(join(directory, 'closed'), 0);
    const found = await discover({ PJRT_PLUGIN_LIBRARY_PATH: 'closed' }, directory, { known: [] });
    chmodSync(join(directory, 'closed'), 0o755);
    expect(found[0]).toMatchObject({ status: 'ignored', reason: 'permission denied' });
  });
});

describe('a spec that is only checked', () => {
  const check = (spec: string) => checkPluginSpec(spec, { cwd: directory, env: {} });

  it('passes if its file is there, or would have to be fetched or built', async () => {
    put('libx.so');
    put('x.yaml', 'library: libx.so\n');
    put('later.yaml', 'name: later\n');
    for (const spec of ['./libx.so', './x.yaml', './later.yaml', 'xla-cpu', 'reference']) await check(spec);
  });

  it('fails if it names nothing, or what is not there', async () => {
    put('gone.yaml', 'library: nowhere.so\n');
    await expect(check('./none.so')).rejects.toThrow(`--plugin ./none.so: no such file: ${join(directory, 'none.so')}`);
    await expect(check('./gone.yaml')).rejects.toThrow(`no such file: ${join(directory, 'nowhere.so')}`);
    await expect(check('xla-cpx')).rejects.toThrow('no plugin of this name; did you mean "xla-cpu"?');
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../harness/base/paths.ts';
import { packPackage } from '../tools/build/pack.ts';
import { makePrebuilt } from '../tools/reference/prebuilt.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { installerAvailable } from './support/installer.ts';
import { runTimeFiles } from './support/run-time-files.ts';

/** Relative targets of the links of a Markdown text, without their headings. */
const linksOf = (markdown: string): string[] =>
  [...markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
    .map(([, target]) => target!.replace(/\/$/, ''))
    .filter((target) => !/^[a-z]+:/.test(target));

const fetchable = installerAvailable();

/** What a user gets from the registry: the tarball, unpacked by npx into an empty directory, without the sources. */
describe('the package', () => {
  let directory: string;
  let tarball: string;
  let files: string[];
  let prebuilt: string | undefined;
  beforeAll(async () => {
    prebuilt = await makePrebuilt();
    directory = mkdtempSync(join(tmpdir(), 'pjrt-package-'));
    ({ tarball, files } = packPackage(directory));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('contains every file that the command may read, and no sources or tests', async () => {
    const needed = [...(await runTimeFiles()), 'dist/cli/main.js', 'dist/index.d.ts', 'README.md', 'LICENSE'];
    // One for each way of naming a path.
    expect(needed).toEqual(
      expect.arrayContaining([
        'dist/web/report.html',
        'dist/worker/main.cjs',
        'dist/knowledge/abi/table.json',
        'schemas/junit-common.xsd',
        'templates/completion/fish.fish',
        'dist/fixtures.bin',
        'fixtures/models/manifest.json',
        'plugins/reference/build.sh',
        'plugins/reference/generated/pjrt_c_api.h',
      ]),
    );
    expect(needed.filter((file) => !files.includes(file))).toEqual([]);
    expect(files.filter((f) => /\.test\.|test-helper|^harness\/|^tools\/|(?:^|\/)tests\/|hostile/.test(f))).toEqual([]);
  });

  test('has no document with a link to a file that it lacks', () => {
    const dead = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) =>
        linksOf(readFileSync(join(PACKAGE_ROOT, file), 'utf8'))
          .map((link) => ({ link, target: posix.join(posix.dirname(file), link) }))
          .filter(({ target }) => !files.some((one) => one === target || one.startsWith(`${target}/`)))
          .map(({ link }) => `${file}: ${link}`),
      );
    expect(dead).toEqual([]);
  });

  test('contains the native callbacks for this system', () => {
    expect(files).toContain(`dist/worker/ffi/recorder-${process.platform}-${process.arch}.so`);
    for (const name of ['recorder', 'recording-plugin'])
      expect(files).toContain(`dist/recorder/pjrt-${name}-${process.platform}-${process.arch}.so`);
  });

  test('every compiled file has its source, so that nothing remains of deleted ones', () => {
    // Parts of a bundled program have names of their own; the check of messages is made by its schema.
    const compiled = files.flatMap(
      (f) => /^dist\/(?!(?:\w+\/)?parts\/|host\/wire\/message-check)(.*)(?:\.d\.ts|\.c?js)$/.exec(f)?.[1] ?? [],
    );
    expect(compiled.length).toBeGreaterThan(100);
    expect(compiled.filter((name) => !existsSync(join(PACKAGE_ROOT, 'harness', `${name}.ts`)))).toEqual([]);
  });

  test('has fewer than 1,500 files: file systems and installers are slow with many small ones', () => {
    expect(files.length).toBeLessThan(1500);
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  });

  test('has the types of the public API, and all that these need', () => {
    const types = new Set(files.filter((file) => /^dist\/.*\.d\.ts$/.test(file)));
    expect(types).toContain('dist/index.d.ts');
    const missing = [...types].flatMap((file) =>
      [...readFileSync(join(PACKAGE_ROOT, file), 'utf8').matchAll(/['"](\.{1,2}\/[^'"]+)\.[jt]s['"]/g)]
        .map(([, path]) => posix.join(posix.dirname(file), `${path}.d.ts`))
        .filter((needed) => !types.has(needed)),
    );
    expect(missing).toEqual([]);
  });

  test('contains the reference plugin, for any glibc from 2.25 on, and runs it without building anything', () => {
    const carried = files.filter((name) => name.startsWith('plugins/reference/prebuilt/'));
    expect(carried.some((name) => name.endsWith('.so'))).toBe(prebuilt !== undefined);
    if (prebuilt === undefined) return;
    const needed = readFileSync(prebuilt, 'latin1').matchAll(/\bGLIBC_2\.(\d+)/g);
    expect(Math.max(...[...needed].map(([, minor]) => Number(minor)))).toBeLessThanOrEqual(25);
    const empty = join(directory, 'reference');
    mkdirSync(empty);
    const run = spawnSync(
      'npx',
      ['--yes', '--package', tarball, 'pjrt-conformance', '--plugin', 'reference', '--profile', 'smoke'],
      {
        cwd: empty,
        encoding: 'utf8',
        env: { ...process.env, CXX: '', CXXFLAGS: '', XDG_CACHE_HOME: join(directory, 'cache') },
      },
    );
    expect(`${run.stdout}${run.stderr}`).toContain('(exit code 0)');
    expect(existsSync(join(directory, 'cache', 'pjrt-conformance', 'built'))).toBe(false);
  });

  test.skipIf(!fetchable)(
    fetchable
      ? 'npx runs a plugin by path from an empty directory'
      : 'npx runs a plugin (skipped: neither pip nor uv is here)',
    async () => {
      const { library } = await resolveHere('xla-cpu');
      const empty = join(directory, 'empty');
      mkdirSync(empty);
      const run = spawnSync(
        'npx',
        ['--yes', '--package', tarball, 'pjrt-conformance', '--plugin', library, '--tag', 'smoke'],
        { cwd: empty, encoding: 'utf8' },
      );
      expect(`${run.stdout}${run.stderr}`).toContain('(exit code 0)');
      expect(run.status).toBe(0);
      expect(readdirSync(empty)).toEqual(['reports']);
      expect(existsSync(join(empty, 'reports', 'xla-cpu', 'junit.xml'))).toBe(true);
    },
  );
});

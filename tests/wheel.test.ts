import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { currentPlatform } from '../harness/host/plugins/resolve.ts';
import { makePrebuilt } from '../tools/reference/prebuilt.ts';
import { resolveHere } from '../tools/resolve-here.ts';
import { buildWheel } from '../tools/wheel/build-wheel.ts';
import { platformName, WHEEL_PLATFORMS } from '../tools/wheel/platforms.ts';
import { pack } from '../tools/wheel/stage.ts';

const platform = WHEEL_PLATFORMS.find((one) => platformName(one) === currentPlatform());

/** What the scripts of uv need of the system; nothing that has Node. */
const SYSTEM = ['sh', 'realpath', 'dirname', 'uname'];

function whyNot(): string | undefined {
  if (!platform) return `no wheel is for ${currentPlatform()}`;
  const minor = spawnSync('python3', ['-c', 'import ensurepip, pip, sys; print(sys.version_info[1])'], {
    encoding: 'utf8',
  });
  if (minor.status !== 0) return 'python3 with pip and venv is not here';
  return Number(minor.stdout) < 10 ? `python3 is 3.${minor.stdout.trim()}, the wheel needs 3.10` : undefined;
}

const why = whyNot();

/** What a user of Python gets: the wheel, in an environment of its own, on a machine without Node. */
describe.skipIf(why)(why ? `the wheel (skipped: ${why})` : 'the wheel', () => {
  let directory: string;
  let wheel: string;
  let reference: string;
  let environment: NodeJS.ProcessEnv;

  const runHere = (program: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) => {
    const { status, stdout, stderr } = spawnSync(join(directory, 'venv', 'bin', program), args, {
      cwd,
      encoding: 'utf8',
      env: { ...environment, ...more },
    });
    return { status, text: `${stdout}${stderr}` };
  };
  const newDirectory = (name: string): string => {
    mkdirSync(join(directory, name));
    return join(directory, name);
  };

  beforeAll(async () => {
    reference = (await makePrebuilt())!;
    directory = mkdtempSync(join(tmpdir(), 'pjrt-wheel-'));
    const tarball = pack(join(directory, 'package'), false);
    wheel = buildWheel(tarball, platform!, join(directory, 'work'), directory);
    const system = newDirectory('system');
    for (const name of SYSTEM) {
      const found = ['/usr/bin', '/bin'].map((place) => join(place, name)).find((path) => existsSync(path));
      if (found) symlinkSync(found, join(system, name));
    }
    const venv = join(directory, 'venv');
    must(spawnSync('python3', ['-m', 'venv', venv], { encoding: 'utf8' }));
    environment = { ...process.env, PATH: [join(venv, 'bin'), system].join(delimiter), VIRTUAL_ENV: venv };
    // The wheel must not depend on the Python that the tests of this project use.
    for (const name of ['PJRT_CONFORMANCE_PYTHON', 'PYTHONPATH', 'NODE_OPTIONS', 'NODE_PATH']) delete environment[name];
    must(
      runHere(
        'pip',
        ['install', '--quiet', '--disable-pip-version-check', wheel, 'pytest', 'pytest-xdist', 'uv'],
        directory,
      ),
    );
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('xla-cpu passes the smoke profile by the command and by pytest, without Node on the PATH', async () => {
    expect(spawnSync('node', ['--version'], { env: environment }).error).toMatchObject({ code: 'ENOENT' });
    const { library } = await resolveHere('xla-cpu');
    const cwd = newDirectory('smoke');
    const run = runHere('pjrt-conformance', ['run', '--plugin', library, '--profile', 'smoke'], cwd);
    expect(run.text).toContain('(exit code 0)');
    const args = ['--pjrt-plugin', library, '--pjrt-profile', 'smoke', '--junitxml', 'pytest.xml', 'pjrt-conformance'];
    const pytest = runHere('pytest', args, cwd);
    expect(pytest.text).toMatch(/passes \(profile smoke\).*\n.*reports/);
    expect(pytest.status).toBe(0);
    const cases = [...readFileSync(join(cwd, 'pytest.xml'), 'utf8').matchAll(/<testcase classname="([^"]*)"/g)];
    const own = [...readFileSync(join(cwd, 'reports', 'xla-cpu', 'junit.xml'), 'utf8').matchAll(/<testcase /g)];
    // One more for the verdict.
    expect(cases.length).toBe(own.length + 1);
  });

  test('uvx runs it', () => {
    const args = ['--from', wheel, 'pjrt-conformance', '--plugin', 'reference', '--tests', 'load/*'];
    const python = { UV_PYTHON: join(directory, 'venv', 'bin', 'python'), UV_CACHE_DIR: join(directory, 'uv-cache') };
    const { status, text } = runHere('uvx', args, newDirectory('uvx'), python);
    expect(text).toContain('(exit code 0)');
    expect(status).toBe(0);
  });

  test('the example for Bazel runs a shard as Bazel starts it', () => {
    const cwd = newDirectory('bazel');
    const bazel = {
      XML_OUTPUT_FILE: join(cwd, 'test.xml'),
      TEST_UNDECLARED_OUTPUTS_DIR: join(cwd, 'outputs'),
      TEST_SHARD_STATUS_FILE: join(cwd, 'sharded'),
      TEST_TMPDIR: join(cwd, 'scratch'),
      TEST_SHARD_INDEX: '1',
      TEST_TOTAL_SHARDS: '2',
    };
    const program = packagePath('examples', 'bazel', 'conformance_test.py');
    const { status, text } = runHere('python', [program, reference, '--tests=load/*', '--tests=errors/*'], cwd, bazel);
    expect(text).toContain('(exit code 0)');
    expect(status).toBe(0);
    expect(existsSync(bazel.TEST_SHARD_STATUS_FILE)).toBe(true);
    expect(readFileSync(bazel.XML_OUTPUT_FILE, 'utf8')).toContain('<testcase ');
    expect(existsSync(join(cwd, 'outputs', 'shard-2-of-2', 'report.html'))).toBe(true);
  });

  test('its own tests pass', () => {
    const args = ['-n', '2', '-q', '-p', 'no:cacheprovider', packagePath('python', 'tests')];
    const { status, text } = runHere('pytest', args, newDirectory('own-tests'));
    expect(text).toMatch(/\d+ passed/);
    expect(text).not.toContain('skipped');
    expect(status).toBe(0);
  });
});

function must({ status, ...output }: { status: number | null; text?: string; stdout?: string; stderr?: string }): void {
  expect([status, status === 0 ? '' : Object.values(output).join('')]).toEqual([0, '']);
}

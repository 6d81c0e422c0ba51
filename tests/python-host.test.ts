import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagePath } from '../harness/base/paths.ts';
import { sharedPython } from '../harness/base/python.ts';
import type { Diagnosis } from '../harness/commands/doctor/diagnosis.ts';
import type { Inspection } from '../harness/commands/inspect/inspection.ts';
import { compile } from './support/c-compiler.ts';
import { cli } from './support/cli.ts';
import { installerAvailable } from './support/installer.ts';
import { JAX_VERSION, jaxResults } from './support/jax.ts';
import { referenceLibrary } from './support/reference.ts';

/** Plugins that need a Python in their process: one with undefined symbols of Python, and one that is linked with it. */
const python = sharedPython();
const why = 'missing' in python ? ` (skipped: ${python.missing})` : '';

describe.skipIf(why !== '')(`a plugin that needs a Python process${why}`, () => {
  const { library: libpython = '' } = 'missing' in python ? {} : python;
  let directory: string;
  let env: NodeJS.ProcessEnv;
  const named = (name: string) => join(directory, `pjrt-plugin-${name}.so`);
  const json = async <T>(...args: string[]): Promise<T> =>
    JSON.parse((await cli([...args, '--format', 'json'], { env })).stdout) as T;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'pjrt-python-'));
    env = { NEEDS_PYTHON_BASE: await referenceLibrary() };
    const source = packagePath('tests', 'support', 'needs-python.c');
    const include = `-I${packagePath('plugins', 'reference', 'generated')}`;
    const place = dirname(libpython);
    const linked = [`-L${place}`, `-l:${libpython.slice(place.length + 1)}`, `-Wl,-rpath,${place}`];
    for (const [name, more] of [
      ['undefined', []],
      ['linked', linked],
    ] as const)
      await compile(['-shared', '-fPIC', include, source, '-o', named(name), '-ldl', ...more]);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test.each(['undefined', 'linked'])('%s: runs in one', async (name) => {
    const args = ['run', '--plugin', named(name), '--suite', 'events', '--output', 'out'];
    const { exitCode, events } = await cli(args, { env });
    expect(exitCode).toBe(0);
    const notes = events.flatMap((event) => (event.type === 'note' ? [event.message] : []));
    expect(notes).toContainEqual(expect.stringContaining(`runs in a process with a Python (${libpython})`));
  });

  test('undefined: what inspect, doctor and compat say', async () => {
    const { file } = await json<Inspection>('inspect', named('undefined'));
    expect(file.elf?.python?.functions).toContain('PyGILState_Ensure');
    const { usable, findings } = await json<Diagnosis>('doctor', named('undefined'));
    expect(usable).toBe(true);
    expect(findings.map(({ what }) => what).join('\n')).toMatch(/it needs a Python process: it calls /);
    const jax = ['--framework', `jax@${JAX_VERSION}`];
    const [hosted] = await json<{ outcome: string }[]>('compat', named('undefined'), ...jax);
    const [plain] = await json<{ outcome: string }[]>('compat', env.NEEDS_PYTHON_BASE!, ...jax);
    expect(hosted).toEqual(plain);
  });

  test('undefined: without a Python it is not loaded', async () => {
    const without = { env: { ...env, PJRT_CONFORMANCE_PYTHON: '/no/python' } };
    const doctor = await cli(['doctor', named('undefined')], without);
    expect(doctor.stdout).toContain(
      'it is not loaded: it needs a Python process: no Python with a shared library is here',
    );
    expect(doctor.exitCode).toBe(3);
    const compat = await cli(['compat', named('undefined')], without);
    expect(compat.stderr).toContain('could not be loaded: it needs a Python process');
    expect(compat.exitCode).toBe(3);
  });

  test('--host node: doctor says what may help', async () => {
    const { stdout } = await cli(['doctor', named('undefined'), '--host', 'node'], { env });
    expect(stdout).toContain('it may need a Python process: `--host python` runs it in one');
  });

  test.skipIf(!installerAvailable())('JAX works on it', () => {
    const environment = { ...env, PJRT_NAMES_AND_LIBRARY_PATHS: `ref:${named('undefined')}`, JAX_PLATFORMS: 'ref' };
    const { devices } = jaxResults(environment as Record<string, string>);
    expect(devices).toHaveLength(4);
  });
});

import { spawnSync } from 'node:child_process';
import { compareVersions } from '../../harness/base/dotted-version.ts';
import { packagePath } from '../../harness/base/paths.ts';
import { pythonWith } from './python-venv.ts';

/** A release, and the versions that it was tried with. */
export const JAX_VERSION = '0.10.2';

/** From here on JAX needs a newer Python. */
const NEEDS_PYTHON_3_12 = '0.11.0';

/** A Python with JAX. */
export const pythonWithJax = (version: string = JAX_VERSION): string =>
  pythonWith(
    `jax-${version}`,
    [`jax==${version}`, `jaxlib==${version}`],
    compareVersions(version, NEEDS_PYTHON_3_12) >= 0 ? 12 : 0,
  );

/** Output of a program of tests/jax in this environment, with this release. */
export function jaxResults(
  env: Record<string, string>,
  version: string = JAX_VERSION,
  program = 'on_plugin.py',
): Record<string, unknown> {
  const { status, signal, stdout, stderr } = spawnSync(pythonWithJax(version), [packagePath('tests', 'jax', program)], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    timeout: 300_000,
  });
  if (status !== 0) throw new Error(`JAX ended with ${signal ?? status}:\n${stderr.slice(-4000)}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

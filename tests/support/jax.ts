import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/paths.ts';

/** A release that exists, and what it was tried with. */
export const JAX_VERSION = '0.10.2';

const must = (command: string, args: readonly string[]): void => {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
};

/** A Python with JAX, in an environment of its own that later runs find again. */
export function pythonWithJax(version: string = JAX_VERSION): string {
  const folder = packagePath('node_modules', '.cache', 'pjrt-conformance', `jax-${version}`);
  const python = join(folder, 'bin', 'python');
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  must('python3', ['-m', 'venv', folder]);
  must(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    `jax==${version}`,
    `jaxlib==${version}`,
  ]);
  writeFileSync(complete, '');
  return python;
}

/** What tests/jax/on_plugin.py printed under this environment. */
export function jaxResults(env: Record<string, string>): Record<string, unknown> {
  const { status, signal, stdout, stderr } = spawnSync(pythonWithJax(), [packagePath('tests', 'jax', 'on_plugin.py')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    timeout: 300_000,
  });
  if (status !== 0) throw new Error(`JAX ended with ${signal ?? status}:\n${stderr.slice(-4000)}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

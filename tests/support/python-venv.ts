import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';

/** Pythons that may be installed, the usual one first, then older ones first: packages support new ones late. */
const PYTHONS = ['python3', 'python3.12', 'python3.13', 'python3.14'];

/**
 * A Python with packages (`name==version`), in a virtual environment that later runs reuse.
 * @param minor the oldest Python 3 that the packages support
 */
export function pythonWith(name: string, packages: readonly string[], minor = 0): string {
  const directory = packagePath('node_modules', '.cache', 'pjrt-conformance', name);
  const python = join(directory, 'bin', 'python');
  const complete = join(directory, 'complete');
  if (existsSync(complete)) return python;
  const base = PYTHONS.find((command) => minorOf(command) >= minor);
  if (base === undefined) {
    throw new Error(
      `${packages.join(', ')} needs Python 3.${minor} or newer; there is none among ${PYTHONS.join(', ')}`,
    );
  }
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  must(base, ['-m', 'venv', directory]);
  must(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  writeFileSync(complete, '');
  return python;
}

/** Minor version of a Python 3; -1 if the command is not one. */
function minorOf(command: string): number {
  const { status, stdout } = spawnSync(command, ['-c', 'import sys; print(sys.version_info[1])'], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : -1;
}

function must(command: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
}

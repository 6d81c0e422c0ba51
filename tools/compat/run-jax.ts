import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { pythonWithJax } from '../../tests/support/jax.ts';
import { type Ending, type Observation, observe } from './observation.ts';

export const SESSION = packagePath('tools', 'compat', 'session.py');

/** Deadline for hangs; a session takes a few seconds. */
const DEADLINE_MS = 90_000;

/** Runs session.py with a release of JAX on a plugin. */
export async function runJax(release: string, library: string, env: Record<string, string>): Promise<Observation> {
  const { log, ending } = await runSession(release, library, env);
  return observe(log, ending);
}

/** The same, with the output of the session, and the functions that a tracing plugin recorded. */
export async function runSession(
  release: string,
  library: string,
  env: Record<string, string>,
): Promise<{ log: string; ending: Ending }> {
  const python = pythonWithJax(release);
  const directory = scratchDirectory('compat');
  try {
    const log = join(directory, 'log');
    const child = spawn(python, [SESSION, log], {
      cwd: directory,
      detached: true,
      env: {
        PATH: process.env.PATH,
        HOME: directory,
        TMPDIR: directory,
        JAX_PLATFORMS: 'subject',
        PJRT_NAMES_AND_LIBRARY_PATHS: `subject:${library}`,
        PJRT_FAULTS_TRACE: log,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr = (stderr + chunk).slice(-100_000);
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      // The whole group, including what the plugin may have started.
      process.kill(-child.pid!, 'SIGKILL');
    }, DEADLINE_MS);
    const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, by) => resolve([code, by]));
    });
    clearTimeout(timer);
    child.stderr.destroy();
    const written = existsSync(log) ? readFileSync(log, 'utf8') : '';
    return { log: written, ending: { exitCode, signal, timedOut, stderr } };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

import { spawnSync } from 'node:child_process';
import { packagePath } from '../../harness/base/paths.ts';
import { quietEnvironment } from './cli.ts';

/** Result of a command. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built command in a directory. @param main that of another package */
export function command(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
  main = packagePath('dist', 'cli', 'main.js'),
): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    env: { ...quietEnvironment(), ...env },
  });
  return { status, stdout, stderr };
}

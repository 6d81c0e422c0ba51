import { spawnSync } from 'node:child_process';

/** Whether real plugins can be fetched here: with pip, or with uv. */
export const installerAvailable = (): boolean =>
  [
    ['python3', '-m', 'pip', '--version'],
    ['uv', '--version'],
  ].some(([command, ...args]) => spawnSync(command!, args, { stdio: 'ignore' }).status === 0);

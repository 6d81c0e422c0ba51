import { spawn } from 'node:child_process';
import type { Environment } from './environment.ts';

/** The command that shows a page on a desktop; undefined where there is none. */
export function openerOf(
  platform: NodeJS.Platform,
  env: Environment,
): [command: string, ...args: string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // `start` takes the first quoted word for a title.
  if (platform === 'win32') return ['cmd', '/c', 'start', ''];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** Shows a page in the browser of the user. @returns whether a program for it was started */
export function openPage(
  url: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const [command, ...args] = openerOf(platform, env) ?? [];
  if (command === undefined) return Promise.resolve(false);
  return new Promise((done) => {
    const child = spawn(command, [...args, url], { env: { ...env }, detached: true, stdio: 'ignore' });
    child.on('error', () => done(false));
    child.on('spawn', () => {
      child.unref();
      done(true);
    });
  });
}

import type { PlatformKey } from '../../model/plugin.ts';
import { libcName } from './libc-name.ts';
import { PluginError } from './plugin-error.ts';

const WORKS_ON = 'plugins are loaded on Linux with glibc';

/**
 * Plugins cannot be loaded on Windows, nor with musl: says so at once, because a loader that fails later says it badly.
 * @param libc of this process
 * @throws PluginError
 */
export function demandSupportedHost(platform: PlatformKey, libc: () => string | undefined = libcName): void {
  const refuse = (what: string, advice: string): never => {
    throw new PluginError('host-unsupported', { where: '--plugin', what: `${what}: ${WORKS_ON}`, advice });
  };
  if (platform.startsWith('win32')) refuse('this is Windows', 'use WSL 2, or a Linux machine or container');
  if (platform.startsWith('linux') && libc() === 'musl') {
    refuse('this Node.js uses musl, as on Alpine', 'use an image with glibc, such as node:22-bookworm-slim');
  }
}

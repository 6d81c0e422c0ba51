import type { Environment } from '../../base/environment.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';

/** A lock on a device, or on all devices that plugins share. */
export interface DeviceLock {
  /** Name of its file; locks are taken in the order of their names, so that no two runs wait for each other. */
  file: string;
  /** `shared`: others may use other devices meanwhile. */
  mode: 'exclusive' | 'shared';
  /** What it stands for, as in `waiting for …`. */
  what: string;
  /** Beginning of the names of the locks on single devices, which holders of a shared lock have. */
  family: string;
}

/** The file of the lock on all devices of a family. */
export const allDevices = (family: string): string => `${family}.lock`;

/** More numbers than a range of a device list has. */
const MAX_RANGE = 1024;

/**
 * The locks that a run needs, in the order in which they are taken. A run that is restricted to some devices locks each of
 * them, and shares the lock on all; a run without a restriction locks all.
 * @param env the variables of the workers
 * @param exclusive lock devices of plugins too whose manifest does not say `serial: true`
 */
export function deviceLocks(
  plugins: readonly ResolvedPlugin[],
  env: Environment,
  exclusive: boolean,
): readonly DeviceLock[] {
  const locks = new Map<string, DeviceLock>();
  const add = (lock: DeviceLock): void => {
    if (locks.get(lock.file)?.mode !== 'exclusive') locks.set(lock.file, lock);
  };
  for (const { name, manifest } of plugins) {
    if (!exclusive && !manifest?.serial) continue;
    const { lock = manifest?.name ?? name, visibleBy = [] } = manifest?.devices ?? {};
    const family = fileName(lock);
    const devices = visibleDevices(visibleBy, env);
    add({ file: allDevices(family), mode: devices ? 'shared' : 'exclusive', what: lock, family });
    for (const device of devices ?? []) {
      add({
        file: `${family}@${fileName(device)}.lock`,
        mode: 'exclusive',
        what: `device ${device} of ${lock}`,
        family,
      });
    }
  }
  return [...locks.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** The devices that the first of these variables with a value lists; undefined: all. */
export function visibleDevices(variables: readonly string[], env: Environment): string[] | undefined {
  const value = variables.map((name) => env[name]?.trim()).find((text) => text !== undefined && text !== '');
  return value === undefined ? undefined : [...new Set(listed(value))];
}

/** The elements of a list such as `0,2-5`. */
const listed = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [, first, last] = /^(\d{1,9})-(\d{1,9})$/.exec(part) ?? [];
      const count = Number(last) - Number(first) + 1;
      if (!(count >= 1 && count <= MAX_RANGE)) return [part];
      return Array.from({ length: count }, (_, i) => String(Number(first) + i));
    });

/** A file name for any text: `GPU-8f/0` becomes `GPU-8f%2F0`. */
const fileName = (text: string): string => encodeURIComponent(text).replaceAll('*', '%2A').slice(0, 200);

import type { CommandEnvironment } from '../../base/environment.ts';
import { systemReason } from '../../base/system-reason.ts';
import { TOOL } from '../../base/tool.ts';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { Count } from '../../model/values.ts';
import { PluginError } from '../plugins/plugin-error.ts';
import { type DeviceLock, deviceLocks } from './device-locks.ts';
import { lockDirectory } from './lock-file.ts';
import { type HeldLocks, takeLocks } from './take-locks.ts';
import { WaitDisplay } from './wait-display.ts';

/** Options about devices that several processes cannot use at once. */
export interface DeviceOptions {
  /** Use the devices alone, even if the manifest does not demand it. */
  exclusive?: boolean;
  /** How long to wait for devices that another run uses, in milliseconds; default: as long as it takes. */
  waitDevice?: Count;
}

/** What is needed of the environment. */
type Around = Pick<CommandEnvironment, 'argv' | 'env' | 'signal' | 'stderr'> & {
  /** The event log that the work writes, for those who wait. */
  log?: string;
};

/**
 * Does work while no other run on this machine uses the devices of these plugins; waits for a run that does. Plugins that
 * several processes can use at once need no waiting.
 * @throws PluginError `device-busy` if the time to wait is over; the reason of the signal if it is aborted meanwhile
 */
export async function withDevices<T>(
  plugins: readonly ResolvedPlugin[],
  options: DeviceOptions,
  around: Around,
  work: () => Promise<T>,
): Promise<T> {
  const env = { ...Object.assign({}, ...plugins.map((p) => p.env)), ...around.env };
  const locks = deviceLocks(plugins, env, options.exclusive === true);
  if (locks.length === 0) return work();
  const held = await take(locks, options, around);
  try {
    return await work();
  } finally {
    held?.release();
  }
}

/** Undefined if locks cannot be had here, which the user learns. */
async function take(
  locks: readonly DeviceLock[],
  { waitDevice }: DeviceOptions,
  { argv, env, signal, stderr, log }: Around,
): Promise<HeldLocks | undefined> {
  const directory = lockDirectory(env);
  const display = new WaitDisplay(stderr, directory);
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let missed: PluginError | undefined;
  const onWait = (lock: DeviceLock): void => {
    display.waitFor(lock, waitDevice !== 0);
    if (waitDevice === undefined) return;
    timer ??= setTimeout(() => {
      missed = busy(display, waitDevice);
      limit.abort(missed);
    }, waitDevice);
  };
  const command = [TOOL.name, ...argv].join(' ');
  const holder = { pid: process.pid, command, log };
  try {
    return await takeLocks(locks, { directory, holder, onWait, signal: AbortSignal.any([signal, limit.signal]) });
  } catch (error) {
    if (signal.aborted || error === missed) throw error;
    stderr.write(
      `warning: ${directory}: the devices cannot be locked (${systemReason(error)}), so another run may use them at the same time; PJRT_CONFORMANCE_LOCKS names another directory\n`,
    );
    return undefined;
  } finally {
    clearTimeout(timer);
    display.done();
  }
}

const busy = (display: WaitDisplay, ms: number): PluginError =>
  new PluginError('device-busy', {
    where: '--wait-device',
    what: `${display.text()}${ms === 0 ? '' : `, and ${ms / 1000} s are over`}`,
    advice: 'wait longer, or without a limit (omit the option), or choose another device',
    options: ['wait-device'],
    paths: [],
  });

import type { ChildProcess } from 'node:child_process';

/**
 * Why nothing is known of a plugin in a child process that a SIGKILL has ended, which nobody here has sent: the kernel, for want
 * of memory, or another process. Undefined for every other end.
 */
export const killedOutside = ({ signalCode }: Pick<ChildProcess, 'signalCode'>): string | undefined =>
  signalCode === 'SIGKILL'
    ? 'another process in which the plugin was loaded was killed from outside, perhaps for want of memory'
    : undefined;

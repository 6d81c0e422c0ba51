import { fork } from 'node:child_process';
import { closeSync } from 'node:fs';
import { programPath } from '../../base/paths.ts';
import type { DeviceLock } from './device-locks.ts';
import { type Holder, isInPlace, openLockFile, writeHolder } from './lock-file.ts';

const entry = programPath('worker/take-locks');
/** The descriptors of a forked process after its standard streams and its message channel. */
const FIRST_FD = 4;

/** Locks that this process has. */
export interface HeldLocks {
  release(): void;
}

/** How locks are taken. */
export interface Taking {
  directory: string;
  /** What others see in the files of exclusive locks, besides the time. */
  holder: Omit<Holder, 'since'>;
  /** Called with each lock that another process has. */
  onWait(lock: DeviceLock): void;
  /** Ends the waiting; the error is the reason of the signal. */
  signal: AbortSignal;
}

/**
 * Takes locks one after the other, and waits for those that others have.
 * @throws the signal's reason; Error if the files or the locks cannot be had
 */
export async function takeLocks(locks: readonly DeviceLock[], taking: Taking): Promise<HeldLocks> {
  const { directory, holder, signal } = taking;
  for (;;) {
    const fds: number[] = [];
    const close = (): void => {
      for (const fd of fds) closeSync(fd);
    };
    try {
      signal.throwIfAborted();
      for (const { file } of locks) fds.push(openLockFile(directory, file));
      await lockAll(locks, fds, taking);
      signal.throwIfAborted();
    } catch (error) {
      close();
      throw error;
    }
    // A file may have been deleted before it was locked.
    if (!locks.every(({ file }, i) => isInPlace(fds[i]!, directory, file))) {
      close();
      continue;
    }
    const own = fds.filter((_, i) => locks[i]!.mode === 'exclusive');
    const since = new Date().toISOString();
    for (const fd of own) writeHolder(fd, { ...holder, since });
    return {
      release: () => {
        for (const fd of own) writeHolder(fd, undefined);
        close();
      },
    };
  }
}

/** A process locks the descriptors, which it shares with this one: this process must not block. */
function lockAll(locks: readonly DeviceLock[], fds: readonly number[], { onWait, signal }: Taking): Promise<void> {
  return new Promise((resolve, reject) => {
    const words = locks.map(({ mode }, i) => `${mode}:${FIRST_FD + i}`);
    const child = fork(entry, words, { stdio: ['ignore', 'ignore', 'pipe', 'ipc', ...fds] });
    const kill = (): unknown => child.kill('SIGKILL');
    let said = '';
    signal.addEventListener('abort', kill);
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.on('message', (index) => onWait(locks[index as number]!));
    child.on('error', reject);
    child.on('close', (code) => {
      signal.removeEventListener('abort', kill);
      if (code === 0) resolve();
      else
        reject(signal.aborted ? signal.reason : new Error(said.trim().split('\n').at(-1) || `it ended with ${code}`));
    });
  });
}

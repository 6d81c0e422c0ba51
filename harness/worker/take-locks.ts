import { lockDescriptor } from './ffi/file-lock.ts';
import { dieWithParent } from './ffi/libc.ts';

/**
 * Entry of a process that locks descriptors which it shares with its parent, and exits: a lock belongs to the open file, so the
 * parent has it from then on. Waiting blocks this process instead of its parent. Arguments: `exclusive:FD`, `shared:FD`, in the
 * order in which they are taken. Sends the index of each lock that it has to wait for.
 */
async function takeLocks(words: readonly string[]): Promise<void> {
  for (const [index, word] of words.entries()) {
    const [mode, fd] = word.split(':') as ['exclusive' | 'shared', string];
    if (lockDescriptor(Number(fd), mode, false)) continue;
    // The message must be out before this process blocks.
    await new Promise<void>((resolve) => process.send!(index, () => resolve()));
    lockDescriptor(Number(fd), mode, true);
  }
  process.disconnect();
}

dieWithParent();
void takeLocks(process.argv.slice(2));

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Buffers that may wait to be collected. The engine alone lets 64 MiB of them wait, since their objects are small. */
const WAITING_BYTES = 4 << 20;

type Collect = (options: { type: 'minor' }) => void;

let waitingBytes = 0;
let collect: Collect | undefined;

/** Tells of buffers that were read and are of no use any more, so that a flood of output costs no memory. */
export function countGarbage(bytes: number): void {
  waitingBytes += bytes;
  if (waitingBytes < WAITING_BYTES) return;
  waitingBytes = 0;
  if (!collect) {
    // The function exists in contexts that are made after the flag was set.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  collect({ type: 'minor' });
}

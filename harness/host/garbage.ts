import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Buffers that may await collection. By default the engine lets 64 MiB of them accumulate, because their objects are small. */
const WAITING_BYTES = 4 << 20;

type Collect = (options: { type: 'minor' }) => void;

let waitingBytes = 0;
let collect: Collect | undefined;

/** Counts buffers that are no longer used, so that a flood of output does not cost memory. */
export function countGarbage(bytes: number): void {
  waitingBytes += bytes;
  if (waitingBytes < WAITING_BYTES) return;
  waitingBytes = 0;
  if (!collect) {
    // The function exists only in contexts created after the flag was set.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as Collect;
  }
  collect({ type: 'minor' });
}

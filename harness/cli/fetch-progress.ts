import type { OnProgress } from '../plugins/types.ts';

const REDRAW_MS = 200;
/** Nothing is shown for work that takes less. */
const PATIENCE_MS = 1000;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
const VERBS = { download: 'fetching', unpack: 'unpacking', hash: 'hashing' } as const;

/** Shows downloads, unpacking and hashing on a stream while they go on; a line a phase when it is no terminal. */
export function createFetchProgress(stream: NodeJS.WriteStream): { update: OnProgress; done: () => void } {
  const began = performance.now();
  let drawn = 0;
  let phase = '';
  return {
    update: ({ phase: now, what, doneBytes, totalBytes }) => {
      const time = performance.now();
      if (time - began < PATIENCE_MS && now !== 'download') return;
      const title = `${VERBS[now]} ${what}`;
      if (!stream.isTTY) {
        if (title !== phase) stream.write(`${title} …\n`);
        phase = title;
        return;
      }
      if (time - drawn < REDRAW_MS) return;
      drawn = time;
      stream.write(`\r\u001b[2K${title}: ${megabytes(doneBytes)}${totalBytes ? ` of ${megabytes(totalBytes)}` : ''}`);
    },
    done: () => {
      if (drawn > 0) stream.write('\r\u001b[2K');
    },
  };
}

import type { Output } from '../../base/environment.ts';
import type { OnProgress } from '../../model/plugin.ts';

const REDRAW_MS = 200;
/** Minimum duration of work before progress is shown. */
const PATIENCE_MS = 1000;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
const VERBS = { download: 'fetching', unpack: 'unpacking', hash: 'hashing', build: 'building' } as const;
/** Amount of work in a unit that fits the phase. */
const amount = (phase: string, done: number, total: number | undefined): string => {
  if (phase === 'build') return total ? `${Math.round((100 * done) / total)} %` : '…';
  return `${megabytes(done)}${total ? ` of ${megabytes(total)}` : ''}`;
};

/** Shows downloads, builds, unpacking and hashing on a stream while they run; one line per phase without a terminal. */
export function createFetchProgress(stream: Output): { update: OnProgress; done: () => void } {
  const began = performance.now();
  let drawn = 0;
  let phase = '';
  return {
    update: ({ phase: now, what, doneBytes, totalBytes }) => {
      const time = performance.now();
      if (time - began < PATIENCE_MS && now !== 'download' && now !== 'build') return;
      const title = `${VERBS[now]} ${what}`;
      if (!stream.isTTY) {
        if (title !== phase) stream.write(`${title} …\n`);
        phase = title;
        return;
      }
      if (time - drawn < REDRAW_MS) return;
      drawn = time;
      stream.write(`\r\u001b[2K${title}: ${amount(now, doneBytes, totalBytes)}`);
    },
    done: () => {
      if (drawn > 0) stream.write('\r\u001b[2K');
    },
  };
}

import type { Output } from '../../base/environment.ts';
import { StatusLine } from '../../base/status-line.ts';
import type { OnProgress } from '../../model/plugin.ts';

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
  const line = new StatusLine(stream);
  return {
    update: ({ phase, what, doneBytes, totalBytes }) => {
      if (performance.now() - began < PATIENCE_MS && phase !== 'download' && phase !== 'build') return;
      line.update(`${VERBS[phase]} ${what}`, amount(phase, doneBytes, totalBytes));
    },
    done: () => line.clear(),
  };
}

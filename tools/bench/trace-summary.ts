import { rmSync } from 'node:fs';
import { scratchDirectory } from '../../harness/base/scratch.ts';
import { writeLargeTrace } from '../traces/large-trace.ts';
import { type MeasuredCommand, measureCommand } from './measure-command.ts';

const BYTES = 1e9;

/** Cost of `trace show` of a recording of a gigabyte. */
export async function measureTraceSummary(): Promise<MeasuredCommand & { records: number }> {
  const directory = scratchDirectory('bench');
  try {
    const records = writeLargeTrace(directory, BYTES);
    return { records, ...(await measureCommand(['trace', 'show', directory], 0)) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

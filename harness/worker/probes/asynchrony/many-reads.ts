import { fromBytes, type HostArray } from '../../../knowledge/numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { here } from '../../pjrt/calls.ts';
import type { CaseContext } from '../../steps/context.ts';
import { rawContents, startRawRead } from '../../steps/device-format.ts';
import { startPut } from '../../steps/transfer.ts';
import { number, oneOf, probe } from '../probe.ts';
import { bytesAsArray, hashed, same } from '../support/checks.ts';

const SHAPE = [16];

const READS = {
  host: {
    call: 'PJRT_Buffer_ToHostBuffer',
    requirement: 'BUF-D2H-004',
    begin: (context: CaseContext, buffer: Buffer, { bytes }: HostArray) => {
      const { event, take } = here(buffer.copyingToHost(context.arena, bytes.length));
      return { event: context.scope.own(event), take };
    },
  },
  raw: {
    call: 'PJRT_Buffer_CopyRawToHost',
    requirement: 'BUF-RAW-001',
    begin: startRawRead,
  },
} as const;

/** Many buffers are read at the same time; none of the reads is waited for before the last has begun. */
export const manyReads = probe(
  'many-reads',
  { out: oneOf('host', 'raw'), count: number },
  (context, { out, count }) => {
    const { begin, call, requirement } = READS[out];
    const buffers = Array.from({ length: count }, (_, n) => {
      const array = hashed('s32', SHAPE, n);
      return { array, buffer: startPut(context, array) };
    });
    for (const { buffer } of buffers) buffer.awaitReady();
    const wanted = buffers.map(({ array, buffer }) =>
      out === 'raw' ? bytesAsArray(rawContents(context, buffer)) : array,
    );
    const reads = buffers.map(({ array, buffer }) => begin(context, buffer, array));
    for (const [n, { event, take }] of reads.entries()) {
      event.await();
      const { array } = buffers[n]!;
      const actual = out === 'raw' ? bytesAsArray(take()) : fromBytes(array.dtype, array.shape, take());
      same(`read ${n + 1} of ${count}`, wanted[n]!, actual, call, requirement);
    }
  },
);

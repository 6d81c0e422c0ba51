import { fromBytes, type HostArray } from '../../../knowledge/numerics/array.ts';
import { type Buffer, hostDestination } from '../../pjrt/buffer.ts';
import { here } from '../../pjrt/calls.ts';
import type { CaseContext } from '../../steps/context.ts';
import { isHostLike, startRawCopy } from '../../steps/device-format.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { startPut } from '../../steps/transfer.ts';
import { number, oneOf, probe } from '../probe.ts';
import { hashed, same } from '../support/checks.ts';

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
    begin: (context: CaseContext, buffer: Buffer, { bytes }: HostArray) => {
      if (!isHostLike(buffer, bytes.length))
        throw new NotSupported('the memory of the buffer does not hold the bytes of an array on the host');
      const room = hostDestination(context.arena, bytes.length);
      const event = context.scope.own(startRawCopy(context, buffer, room.address, 0, bytes.length));
      return { event, take: () => room.bytes.slice(0, bytes.length) };
    },
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
    const reads = buffers.map(({ array, buffer }) => begin(context, buffer, array));
    for (const [n, { event, take }] of reads.entries()) {
      event.await();
      const { array } = buffers[n]!;
      same(`read ${n + 1} of ${count}`, array, fromBytes(array.dtype, array.shape, take()), call, requirement);
    }
  },
);

import { TransferManager } from '../../pjrt/transfer-manager.ts';
import { deviceBytes } from '../../steps/device-bytes.ts';
import { refusal } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { flag, number, oneOf, optional, probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { defaultMemory } from '../support/sending.ts';

const PAGE = 4096;
const CALL = 'PJRT_AsyncHostToDeviceTransferManager_TransferData';

/**
 * Sends one array in pieces, in the format of the device. With `emptyLast` the last piece has no bytes; with `scrub` the
 * source of a piece is overwritten as soon as its event is ready.
 */
export const asyncPieces = probe(
  'async-pieces',
  {
    count: optional(number, 24),
    pieces: optional(number, 2),
    order: optional(oneOf('forward', 'backward', 'shuffled'), 'forward'),
    emptyLast: optional(flag, false),
    scrub: optional(flag, false),
  },
  async (context, { count, pieces: parts, order, emptyLast, scrub }) => {
    const { arena, scope } = context;
    const data = hashed('f32', [count]);
    const bytes = deviceBytes(context, data);
    const total = bytes.length;
    const manager = scope.own(
      TransferManager.create(
        context.client,
        arena,
        [{ type: data.dtype.enumValue, dims: data.shape }],
        defaultMemory(context),
      ),
    );
    const buffer = scope.own(manager.retrieve(0));
    const ready = scope.own(buffer.readyEvent());
    const pieces = cut(total, parts, order);
    if (emptyLast) pieces.push({ from: total, to: total });
    for (const [i, { from, to }] of pieces.entries()) {
      if (ready.isReady()) violated('the buffer is ready before its last piece was sent', CALL, 'H2D-TRD-002');
      const host = arena.input(bytes.subarray(from, to));
      try {
        const sent = await manager.transfer(0, host.address, to - from, from, i === pieces.length - 1);
        await scope.own(sent).awaitAsync();
      } catch (error) {
        // Only a piece of the whole array, or of whole pages, has every alignment that a device may want.
        const plain = pieces.length === 1 || (from % PAGE === 0 && to % PAGE === 0);
        throw plain
          ? error
          : refusal(error, `a piece of ${to - from} bytes at ${from} is refused, maybe for its alignment`);
      }
      if (scrub) host.bytes.fill(0x5a);
    }
    await ready.awaitAsync();
    same('the buffer', data, fetchArray(context, buffer), CALL, 'H2D-TRD-001');
  },
);

/** Ranges that cover everything, of sizes as equal as whole pages allow, or multiples of 8 bytes where there are few. */
export function cut(total: number, pieces: number, order: string): { from: number; to: number }[] {
  const unit = total >= pieces * PAGE ? PAGE : 8;
  const edge = (i: number) => (i === pieces ? total : Math.floor((total * i) / pieces / unit) * unit);
  const all = Array.from({ length: pieces }, (_, i) => ({ from: edge(i), to: edge(i + 1) }));
  if (order === 'backward') return all.reverse();
  if (order === 'shuffled') return [...all.filter((_, i) => i % 2 === 1), ...all.filter((_, i) => i % 2 === 0)];
  return all;
}

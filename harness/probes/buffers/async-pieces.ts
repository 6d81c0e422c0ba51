import { TransferManager } from '../../pjrt/transfer-manager.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { broken, defaultMemory, hashed, option, same } from './support.ts';

const CALL = 'PJRT_AsyncHostToDeviceTransferManager_TransferData';

/**
 * Sends one array in pieces. Options: `dtype`, `count` elements; `pieces`; `order`: `forward`, `backward` or `shuffled`;
 * `emptyLast`: the last piece has no bytes; `scrub`: the source of a piece is overwritten as soon as its event is ready.
 */
export const asyncPieces: Probe = async (context, options) => {
  const { arena, scope } = context;
  const data = hashed(option(options, 'dtype', 'f32'), [option(options, 'count', 24)]);
  const total = data.bytes.length;
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
  const pieces = cut(total, option(options, 'pieces', 2), option<string>(options, 'order', 'forward'));
  if (option(options, 'emptyLast', false)) pieces.push({ from: total, to: total });
  for (const [i, { from, to }] of pieces.entries()) {
    if (ready.isReady()) broken('the buffer is ready before its last piece was sent', CALL, 'H2D-TRD-002');
    const host = arena.input(data.bytes.subarray(from, to));
    const sent = await manager.transfer(0, host.address, to - from, from, i === pieces.length - 1);
    await scope.own(sent).awaitAsync();
    if (option(options, 'scrub', false)) host.bytes.fill(0x5a);
  }
  await ready.awaitAsync();
  same('the buffer', data, fetchArray(context, buffer), CALL, 'H2D-TRD-001');
};

/** Ranges that cover everything, of sizes as equal as whole multiples of 8 bytes allow. */
function cut(total: number, pieces: number, order: string): { from: number; to: number }[] {
  const edge = (i: number) => (i === pieces ? total : Math.floor((total * i) / pieces / 8) * 8);
  const all = Array.from({ length: pieces }, (_, i) => ({ from: edge(i), to: edge(i + 1) }));
  if (order === 'backward') return all.reverse();
  if (order === 'shuffled') return [...all.filter((_, i) => i % 2 === 1), ...all.filter((_, i) => i % 2 === 0)];
  return all;
}

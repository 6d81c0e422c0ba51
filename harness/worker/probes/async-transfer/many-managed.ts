import { TransferManager } from '../../pjrt/transfer-manager.ts';
import { deviceBytes } from '../../steps/device-bytes.ts';
import { number, probe } from '../probe.ts';
import { floats, same } from '../support/checks.ts';
import { download } from '../support/client-work.ts';
import { defaultMemory } from '../support/sending.ts';

/** Many buffers of one transfer manager, filled from the last to the first: each gets what was sent to its own index. */
export const manyManaged = probe('many-managed', { buffers: number }, async (context, { buffers }) => {
  const { arena, client, scope } = context;
  const arrays = Array.from({ length: buffers }, (_, i) => floats([i, i + 1, 2, 3]));
  const specs = arrays.map(({ dtype, shape }) => ({ type: dtype.enumValue, dims: shape }));
  const manager = scope.own(TransferManager.create(client, arena, specs, defaultMemory(context)));
  const made = arrays.map((_, i) => scope.own(manager.retrieve(i)));
  for (let i = buffers - 1; i >= 0; i--) {
    const bytes = deviceBytes(context, arrays[i]!);
    const sent = await manager.transfer(i, arena.input(bytes).address, bytes.length, 0, true);
    await scope.own(sent).awaitAsync();
  }
  for (const [i, array] of arrays.entries())
    same(
      `buffer ${i} of ${buffers}`,
      array,
      download(arena, made[i]!, array),
      'PJRT_AsyncHostToDeviceTransferManager_TransferData',
      'H2D-TRD-001',
    );
});

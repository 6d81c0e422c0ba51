import { TransferManager } from '../../pjrt/transfer-manager.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { defaultMemory, hashed, option, same } from './support.ts';

const CALL = 'PJRT_AsyncHostToDeviceTransferManager_TransferLiteral';

/** Sends a whole literal in its host layout, which is the last transfer. Options: `dtype`, `shape`. */
export const asyncLiteral: Probe = async (context, options) => {
  const { arena, scope, client } = context;
  const data = hashed(option(options, 'dtype', 'f32'), option(options, 'shape', [4]));
  const spec = { type: data.dtype.enumValue, dims: data.shape };
  const manager = scope.own(TransferManager.create(client, arena, [spec], defaultMemory(context)));
  const buffer = scope.own(manager.retrieve(0));
  const sent = await manager.transferLiteral(arena, 0, arena.input(data.bytes).address, spec);
  await scope.own(sent).awaitAsync();
  same('the buffer', data, fetchArray(context, buffer), CALL);
};

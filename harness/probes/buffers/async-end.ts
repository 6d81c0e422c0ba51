import { TransferManager } from '../../pjrt/transfer-manager.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { deviceFormat } from './device-format.ts';
import { defaultMemory, destroyAsync, hashed, option, same } from './support.ts';

const CALL = 'PJRT_AsyncHostToDeviceTransferManager_TransferData';

/**
 * Of a manager and its buffer one goes early: the `manager` as soon as everything was handed over, so that the data must
 * still arrive; or the `buffer` before its data come, which are accepted all the same. Options: `count` bytes, `end`.
 */
export const asyncEnd: Probe = async (context, options) => {
  const { arena, scope, client } = context;
  const data = hashed('u8', [option(options, 'count', 4)]);
  const bytes = deviceFormat(context, data);
  const spec = { type: data.dtype.enumValue, dims: data.shape };
  const manager = scope.own(TransferManager.create(client, arena, [spec], defaultMemory(context)));
  const buffer = scope.own(manager.retrieve(0));
  const end = option<string>(options, 'end', 'manager');
  if (end === 'buffer') buffer.destroy();
  const sent = scope.own(await manager.transfer(0, arena.input(bytes).address, bytes.length, 0, true));
  if (end === 'manager') {
    await destroyAsync(manager, 'PJRT_AsyncHostToDeviceTransferManager_Destroy', 'transfer_manager');
  }
  await sent.awaitAsync();
  if (end === 'buffer') return;
  await scope.own(buffer.readyEvent()).awaitAsync();
  same('the buffer', data, fetchArray(context, buffer), CALL, 'H2D-DST-002');
};

import { errorOfAsync, PjrtError } from '../../pjrt/errors.ts';
import type { Event } from '../../pjrt/event.ts';
import { TransferManager } from '../../pjrt/transfer-manager.ts';
import type { CaseContext } from '../../steps/context.ts';
import type { Probe } from '../../steps/steps.ts';
import { hashed, option, violated } from '../support.ts';
import { defaultMemory, destroyAsync } from './support.ts';

const CALL = 'PJRT_AsyncHostToDeviceTransferManager_TransferData';
const PIECE = 8;

/**
 * A piece that does not fit is refused, by the call's or the event's answer. Options: `offset`. The manager is left behind,
 * and the process with it.
 */
export const asyncRefused: Probe = async (context, options) => {
  await refuse(context, option(options, 'offset', 16));
};

/** After a refusal the manager can be destroyed, and its buffer ends in an error. Options: `offset`. */
export const asyncDestroyedAfterRefusal: Probe = async (context, options) => {
  const { manager, ready } = await refuse(context, option(options, 'offset', 16));
  const again = context.scope.own(new TransferManager(context.api, manager.pointer));
  await destroyAsync(again, 'PJRT_AsyncHostToDeviceTransferManager_Destroy', 'transfer_manager');
  if (!(await errorOfAsync(ready.awaitAsync())))
    violated('a buffer whose only piece was refused became ready without an error', CALL, 'H2D-DST-002');
};

/** Sends a piece that does not fit. @returns the manager, which nobody owns, and the ready event of its buffer */
async function refuse(context: CaseContext, asked: number): Promise<{ manager: TransferManager; ready: Event }> {
  const { arena, scope } = context;
  const data = hashed('f32', [4]);
  const manager = TransferManager.create(
    context.client,
    arena,
    [{ type: data.dtype.enumValue, dims: data.shape }],
    defaultMemory(context),
  );
  manager.disown();
  const buffer = scope.own(manager.retrieve(0));
  const ready = scope.own(buffer.readyEvent());
  const host = arena.input(data.bytes);
  // Counted from the end of what the buffer takes on its device.
  const size = manager.bufferSize(0);
  const offset = asked < 0 ? asked : asked - data.bytes.length + size;
  let status: PjrtError | undefined;
  try {
    status = await errorOfAsync(scope.own(await manager.transfer(0, host.address, PIECE, offset, false)).awaitAsync());
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    status = error;
  }
  if (!status) violated(`${PIECE} bytes at ${offset} of a buffer of ${size} bytes were accepted`, CALL, 'H2D-TRD-005');
  return { manager, ready };
}

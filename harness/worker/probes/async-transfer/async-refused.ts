import { leaveBehind } from '../../ffi/left-behind.ts';
import { errorOfAsync, PjrtError } from '../../pjrt/errors.ts';
import type { Event } from '../../pjrt/event.ts';
import { TransferManager } from '../../pjrt/transfer-manager.ts';
import type { CaseContext } from '../../steps/context.ts';
import { number, optional, probe } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { defaultMemory, destroyAsync } from '../support/sending.ts';

const CALL = 'PJRT_AsyncHostToDeviceTransferManager_TransferData';
const PIECE = 8;

/**
 * A piece that does not fit is refused, by the call's or the event's answer. The manager is left behind, and the process
 * with it.
 */
export const asyncRefused = probe('async-refused', { offset: optional(number, 16) }, async (context, { offset }) => {
  const { manager } = await refuse(context, offset);
  leaveBehind(manager.pointer);
});

/** After a refusal the manager can be destroyed, and its buffer ends in an error. */
export const asyncDestroyedAfterRefusal = probe(
  'async-destroyed-after-refusal',
  { offset: optional(number, 16) },
  async (context, { offset }) => {
    const { manager, ready } = await refuse(context, offset);
    const again = context.scope.own(new TransferManager(context.api, manager.pointer));
    await destroyAsync(again, 'PJRT_AsyncHostToDeviceTransferManager_Destroy', 'transfer_manager');
    if (!(await errorOfAsync(ready.awaitAsync())))
      violated('a buffer whose only piece was refused became ready without an error', CALL, 'H2D-DST-002');
  },
);

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

import { writeBytes } from '../../ffi/memory.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { oneOf, optional, probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { lentAddress } from '../support/lent-address.ts';
import { send } from '../support/sending.ts';
import { makeView } from './make-view.ts';

/**
 * A view is the memory, not a copy of it: what is written through the pointer is seen through the view, and through the
 * buffer that owns the memory. Only where the memory is the CPU's. Option `from`: `buffer` or `host`.
 */
export const viewAliasing = probe(
  'view-aliasing',
  { from: optional(oneOf('buffer', 'host'), 'buffer') },
  (context, { from }) => {
    const before = hashed('f32', [16], 1);
    const after = hashed('f32', [16], 2);
    const owner = send(context, before, 'during-call').buffer;
    owner.awaitReady();
    if (!owner.isOnCpu()) throw new NotSupported('the memory of buffers is not the memory of this process');
    const host = from === 'host';
    const pointer = host ? context.arena.copy(before.bytes, 64).address : lentAddress(context, owner);
    const view = makeView(context, pointer, before);
    if (view.opaquePointer() !== pointer)
      violated(
        'the view has another address than it was made with',
        'PJRT_Client_CreateViewOfDeviceBuffer',
        'BUF-VIEW-001',
      );
    same('the view', before, fetchArray(context, view), 'PJRT_Client_CreateViewOfDeviceBuffer', 'BUF-VIEW-001');
    writeBytes(pointer, after.bytes);
    same(
      'the view after a write through the pointer',
      after,
      fetchArray(context, view),
      'PJRT_Buffer_ToHostBuffer',
      'BUF-VIEW-001',
    );
    if (!host)
      same(
        'the owner after a write through the pointer',
        after,
        fetchArray(context, owner),
        'PJRT_Buffer_ToHostBuffer',
        'BUF-META-010',
      );
  },
);

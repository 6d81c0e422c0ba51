import { PjrtError } from '../../pjrt/errors.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { RecordedCallback } from '../../steps/recorded-callback.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { probe } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { send } from '../support/sending.ts';
import { makeView } from './make-view.ts';

const VIEW = 'PJRT_Client_CreateViewOfDeviceBuffer';
/** As far behind an aligned address as one element. */
const OFF = 4;

/** A view of memory that is aligned for one element only works, or is refused with INVALID_ARGUMENT and without its callback. */
export const viewUnaligned = probe('view-unaligned', {}, async (context) => {
  const data = hashed('f32', [16]);
  const sample = send(context, data, 'during-call').buffer;
  if (!sample.isOnCpu()) throw new NotSupported('the memory of buffers is not the memory of this process');
  const block = context.arena.alloc(OFF + data.bytes.length, 64);
  block.bytes.set(data.bytes, OFF);
  const recorder = new RecordedCallback(context, VIEW);
  try {
    const view = makeView(context, block.address + BigInt(OFF), data, { address: recorder.address, argument: 0n });
    same('the view', data, fetchArray(context, view), VIEW, 'BUF-VIEW-001');
  } catch (error) {
    if (!(error instanceof PjrtError) || error.call !== VIEW || error.codeName === 'UNIMPLEMENTED') throw error;
    await context.yieldToCalls();
    if (recorder.count() > 0) violated('a view that was refused has called its delete callback', VIEW, 'BUF-VIEW-007');
    if (error.codeName !== 'INVALID_ARGUMENT')
      violated(`a view of unaligned memory was refused with ${error.codeName}`, VIEW, 'BUF-VIEW-006');
  }
});

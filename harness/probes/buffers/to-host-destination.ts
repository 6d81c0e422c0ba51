import { makeLayout, POISON } from '../../pjrt/buffer.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import { orderOf } from '../../steps/layouts.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, option, send } from './support.ts';

const CALL = 'PJRT_Buffer_ToHostBuffer';

/**
 * A destination that is larger or smaller than the array. Larger: the bytes behind the array stay as they were. Smaller:
 * the call or its event is an error, and nothing at all is written. Options: `dtype`, `shape`, `extra` (bytes, may be
 * negative).
 */
export const toHostDestination: Probe = (context, options) => {
  const { api, arena, scope } = context;
  const data = hashed(option(options, 'dtype', 'f32'), option(options, 'shape', [3, 5]));
  const extra = option(options, 'extra', 0);
  const { buffer } = send(context, data, 'during-call');
  buffer.awaitReady();
  const needed = data.bytes.length;
  const layout = makeLayout(api, arena, orderOf('row-major', data.shape.length));
  const size = needed + extra;
  const room = arena.alloc(Math.max(size, needed) + 64, 64);
  room.bytes.fill(POISON);
  let failed: PjrtError | undefined;
  let event: Event | undefined;
  try {
    event = api.invoke(
      CALL,
      (call) => {
        call.setWord('src', buffer.pointer);
        call.setWord('host_layout', layout);
        call.setWord('dst', room.address);
        call.setSize('dst_size', size);
      },
      (call) => (call.word('event') === 0n ? undefined : scope.own(new Event(api, call.word('event')))),
    );
    if (!event) broken('a copy to the host came without an event', CALL, 'BUF-D2H-004');
    event.await();
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    failed = error;
  }
  if (extra < 0) {
    if (!failed) broken(`a destination that is ${-extra} bytes too small was accepted`, CALL, 'BUF-D2H-003');
    if (room.bytes.some((b) => b !== POISON))
      broken('a destination that is too small was written to', CALL, 'BUF-D2H-003', 'pjrt.MemoryOverrun');
    return;
  }
  if (failed) throw failed;
  if (data.bytes.some((b, i) => room.bytes[i] !== b))
    broken('the destination does not hold the array when its event is ready', CALL, 'BUF-D2H-004');
  if (room.bytes.subarray(needed).some((b) => b !== POISON))
    broken(`bytes after the ${needed} bytes of the array were written`, CALL, 'BUF-D2H-002', 'pjrt.MemoryOverrun');
};

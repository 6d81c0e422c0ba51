import type { HostArray } from '../../numerics/array.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';
import { defaultMemory } from './support.ts';

/** A view over memory that somebody else owns, as DLPack import makes it. The case owns the view. */
export function makeView(
  context: CaseContext,
  pointer: bigint,
  like: HostArray,
  onDelete?: { address: bigint; argument: bigint },
): Buffer {
  const { api, arena, scope, client } = context;
  return scope.own(
    api.invoke(
      'PJRT_Client_CreateViewOfDeviceBuffer',
      (call) => {
        call.setWord('client', client.pointer);
        call.setWord('device_buffer_ptr', pointer);
        call.setWord('dims', arena.int64s(like.shape).address);
        call.setSize('num_dims', like.shape.length);
        call.setInt('element_type', like.dtype.enumValue);
        // Older structs end before `memory`.
        if (call.layout.has('memory')) call.setWord('memory', defaultMemory(context).pointer);
        else call.setWord('device', client.addressableDevices()[0]!.pointer);
        if (onDelete) {
          call.setWord('on_delete_callback', onDelete.address);
          call.setWord('on_delete_callback_arg', onDelete.argument);
        }
      },
      (call) => new Buffer(api, call.word('buffer')),
    ),
  );
}

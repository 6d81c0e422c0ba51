import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { harmlessFunction } from '../../ffi/libc.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import type { CaseContext } from '../../steps/context.ts';
import { ifOffered } from '../../steps/device-format.ts';
import { defaultMemory } from '../support/sending.ts';

/** A view of memory with another owner, as DLPack import makes it. The case owns the view. */
export function makeView(
  context: CaseContext,
  pointer: bigint,
  like: HostArray,
  onDelete?: { address: bigint; argument: bigint },
): Buffer {
  const { api, arena, scope, client } = context;
  // Older structs end before `memory`, and a plugin may have no memories.
  const inMemory = api.struct('PJRT_Client_CreateViewOfDeviceBuffer_Args').has('memory');
  const memory = inMemory ? ifOffered(() => defaultMemory(context).pointer) : undefined;
  return scope.own(
    api.invoke(
      'PJRT_Client_CreateViewOfDeviceBuffer',
      (call) => {
        call.setWord('client', client.pointer);
        call.setWord('device_buffer_ptr', pointer);
        call.setWord('dims', arena.int64s(like.shape).address);
        call.setSize('num_dims', like.shape.length);
        call.setInt('element_type', like.dtype.enumValue);
        if (memory === undefined) call.setWord('device', client.firstDevice().pointer);
        else call.setWord('memory', memory);
        // A null callback is legal, but a case of its own.
        call.setWord('on_delete_callback', onDelete?.address ?? harmlessFunction());
        call.setWord('on_delete_callback_arg', onDelete?.argument ?? 0n);
      },
      (call) => new Buffer(api, call.word('buffer')),
    ),
  );
}

import { callback } from '../../ffi/function.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { broken, hashed, option, same } from '../support.ts';
import { defaultMemory, destroyAsync, send, settle } from './support.ts';

const CALL = 'PJRT_Client_CreateViewOfDeviceBuffer';
const ARGUMENT = 0x5eed3000n;

/**
 * A view calls back once, with its pointer and argument, when it no longer needs the memory. Options:
 * `from`: `buffer` (memory of another buffer) or `host` (memory of the process, where buffers are on the CPU); `form`:
 * `device`, `memory` or `both`; `end`: `destroy`, or `delete` and then destroy; `callback: false` for a null callback.
 */
export const viewCallback: Probe = async (context, options) => {
  const { api, arena, scope, client } = context;
  const data = hashed('f32', [6]);
  const owner = send(context, data, 'during-call').buffer;
  owner.awaitReady();
  let pointer: bigint;
  if (option<string>(options, 'from', 'buffer') === 'host') {
    if (!owner.isOnCpu())
      throw new NotSupported('memory of the process is device memory only where buffers are on the CPU');
    pointer = arena.copy(data.bytes, 64).address;
  } else pointer = owner.opaquePointer();
  const calls: { pointer: bigint; argument: bigint }[] = [];
  let told!: () => void;
  const first = new Promise<void>((resolve) => {
    told = resolve;
  });
  const registered = callback(
    'void PjrtOnDelete(void* data, void* user)',
    (data: bigint | null, user: bigint | null) => {
      calls.push({ pointer: data ?? 0n, argument: user ?? 0n });
      told();
    },
  );
  scope.defer(() => {
    if (calls.length > 0) registered.release();
  });
  const wanted = option(options, 'callback', true);
  const form = option<string>(options, 'form', 'memory');
  const view = scope.own(
    api.invoke(
      CALL,
      (call) => {
        call.setWord('client', client.pointer);
        call.setWord('device_buffer_ptr', pointer);
        call.setWord('dims', arena.int64s([6]).address);
        call.setSize('num_dims', 1);
        call.setInt('element_type', data.dtype.enumValue);
        if (form !== 'memory') call.setWord('device', client.addressableDevices()[0]!.pointer);
        if (form !== 'device') call.setWord('memory', defaultMemory(context).pointer);
        if (wanted) {
          call.setWord('on_delete_callback', registered.address);
          call.setWord('on_delete_callback_arg', ARGUMENT);
        }
      },
      (call) => new Buffer(api, call.word('buffer')),
    ),
  );
  same('the view', data, fetchArray(context, view), CALL);
  await settle(context);
  if (calls.length > 0) broken('the delete callback was called while the view is alive', CALL, 'BUF-VIEW-002');
  if (option<string>(options, 'end', 'destroy') === 'delete')
    await api.invokeAsync('PJRT_Buffer_Delete', (call) => call.setWord('buffer', view.pointer));
  await destroyAsync(view, 'PJRT_Buffer_Destroy', 'buffer');
  if (wanted) await first;
  await settle(context);
  // The memory is still the owner's.
  same('the buffer that owns the memory, after the view is gone', data, fetchArray(context, owner), CALL);
  if (calls.length !== (wanted ? 1 : 0))
    broken(`the delete callback was called ${calls.length} times`, CALL, 'BUF-VIEW-002', 'pjrt.CallbackContract');
  const type = 'pjrt.CallbackContract';
  if (wanted && calls[0]!.pointer !== pointer)
    broken('the delete callback got another pointer than the view was made with', CALL, 'BUF-VIEW-002', type);
  if (wanted && calls[0]!.argument !== ARGUMENT)
    broken('the delete callback got another argument than the view was made with', CALL, 'BUF-VIEW-002', type);
};

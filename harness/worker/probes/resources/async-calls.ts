import { fromBytes, type HostArray } from '../../../knowledge/numerics/array.ts';
import type { Arena, Block } from '../../ffi/memory.ts';
import { Buffer, makeLayout, POISON } from '../../pjrt/buffer.ts';
import { type Client, SEMANTICS } from '../../pjrt/client.ts';
import { Event } from '../../pjrt/event.ts';
import { LoadedExecutable, makeExecuteOptions } from '../../pjrt/executable.ts';
import { makeProgram } from '../../pjrt/program.ts';

/** Calls of a client on other threads, so that several are in the plugin at once. Memory lives until they are done. */

/** Sends a host array; waits for the host memory and the buffer on threads, too. */
export async function uploadAsync(
  arena: Arena,
  client: Client,
  array: HostArray,
  host: Block,
  device: bigint,
): Promise<Buffer> {
  const dims = arena.int64s(array.shape);
  const { api } = client;
  const { buffer, done } = await api.invokeAsync(
    'PJRT_Client_BufferFromHostBuffer',
    (call) => {
      call.setWord('client', client.pointer);
      call.setWord('data', host.address);
      call.setInt('type', array.dtype.enumValue);
      call.setWord('dims', dims.address);
      call.setSize('num_dims', array.shape.length);
      call.setInt('host_buffer_semantics', SEMANTICS['until-transfer-completes']);
      call.setWord('device', device);
    },
    (call) => ({
      buffer: new Buffer(api, call.word('buffer')),
      done: new Event(api, call.word('done_with_host_buffer')),
    }),
  );
  try {
    await done.awaitAsync();
    return buffer;
  } catch (error) {
    buffer.destroy();
    throw error;
  } finally {
    done.destroy();
  }
}

/** Reads a buffer into memory of the caller's, which is poisoned before. */
export async function downloadAsync(arena: Arena, buffer: Buffer, like: HostArray, host: Block): Promise<HostArray> {
  const { api } = buffer;
  const order = Array.from({ length: like.shape.length }, (_, i) => like.shape.length - 1 - i);
  const layout = makeLayout(api, arena, order);
  host.bytes.fill(POISON, 0, like.bytes.length);
  const event = await api.invokeAsync(
    'PJRT_Buffer_ToHostBuffer',
    (call) => {
      call.setWord('src', buffer.pointer);
      call.setWord('host_layout', layout);
      call.setWord('dst', host.address);
      call.setSize('dst_size', like.bytes.length);
    },
    (call) => new Event(api, call.word('event')),
  );
  try {
    await event.awaitAsync();
    return fromBytes(like.dtype, like.shape, host.bytes.slice(0, like.bytes.length));
  } finally {
    event.destroy();
  }
}

/** Runs an executable of one device and one output, and waits for its event. */
export async function executeAsync(
  arena: Arena,
  executable: LoadedExecutable,
  inputs: readonly Buffer[],
): Promise<Buffer> {
  const { api } = executable;
  const options = makeExecuteOptions(api, arena, {});
  const list = arena.pointers(inputs.map((b) => b.pointer));
  const lists = arena.pointers([list.address]);
  const outputs = arena.pointers([0n]);
  const outputLists = arena.pointers([outputs.address]);
  const events = arena.pointers([0n]);
  await api.invokeAsync('PJRT_LoadedExecutable_Execute', (call) => {
    call.setWord('executable', executable.pointer);
    call.setWord('options', options);
    call.setWord('argument_lists', lists.address);
    call.setSize('num_devices', 1);
    call.setSize('num_args', inputs.length);
    call.setWord('output_lists', outputLists.address);
    call.setWord('device_complete_events', events.address);
  });
  const output = new Buffer(api, outputs.view.getBigUint64(0, true));
  const done = new Event(api, events.view.getBigUint64(0, true));
  try {
    await done.awaitAsync();
    return output;
  } catch (error) {
    output.destroy();
    throw error;
  } finally {
    done.destroy();
  }
}

/** Compiles a program on another thread. */
export async function compileAsync(
  arena: Arena,
  client: Client,
  code: Uint8Array,
  options: Uint8Array,
): Promise<LoadedExecutable> {
  const { api } = client;
  const program = makeProgram(api, arena, code, 'mlir');
  const optionBytes = arena.input(options);
  const pointer = await api.invokeAsync(
    'PJRT_Client_Compile',
    (call) => {
      call.setWord('client', client.pointer);
      call.setWord('program', program);
      call.setWord('compile_options', optionBytes.address);
      call.setSize('compile_options_size', options.length);
    },
    (call) => call.word('executable'),
  );
  return new LoadedExecutable(api, pointer);
}

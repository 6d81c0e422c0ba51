import type { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import { Buffer, makeLayout } from './buffer.ts';
import type { Call } from './call.ts';
import type { Client } from './client.ts';
import { Event } from './event.ts';
import { Handle } from './handle.ts';
import type { Memory } from './memory.ts';

const PREFIX = 'PJRT_AsyncHostToDeviceTransferManager_';

/** Element type (PJRT_Buffer_Type) and dimensions of one buffer to create. */
interface ShapeSpec {
  type: number;
  dims: readonly number[];
}

/** A PJRT_AsyncHostToDeviceTransferManager that the harness owns: buffers first, their contents later, in pieces. */
export class TransferManager extends Handle {
  readonly kind = 'PJRT_AsyncHostToDeviceTransferManager';
  protected readonly field = 'transfer_manager';

  static create(client: Client, arena: Arena, specs: readonly ShapeSpec[], memory: Memory): TransferManager {
    const { api } = client;
    const shapes = api.make(arena, 'PJRT_ShapeSpec', specs.length);
    specs.forEach((spec, i) => {
      const dims = arena.int64s(spec.dims).address;
      shapes.at(i).set({ dims, num_dims: spec.dims.length, element_type: spec.type });
    });
    const fields = {
      client: client.pointer,
      shape_specs: shapes.address,
      num_shape_specs: specs.length,
      memory: memory.pointer,
    };
    const take = (call: Call): TransferManager => new TransferManager(api, call.word('transfer_manager'));
    return api.invoke('PJRT_Client_CreateBuffersForAsyncHostToDevice', fields, take);
  }

  /** Retrieves a buffer; at most once for each index. */
  retrieve = (index: number): Buffer =>
    this.invoke(`${PREFIX}RetrieveBuffer`, (call) => new Buffer(this.api, call.word('buffer_out')), {
      buffer_index: index,
    });

  /** Size of a buffer on its device, in bytes. */
  bufferSize = (index: number): number =>
    this.invoke(`${PREFIX}BufferSize`, (call) => call.size('buffer_size'), { buffer_index: index });

  /** Sends `bytes` bytes to an offset; on another thread, because callbacks of the buffer's events may run meanwhile. */
  transfer = (index: number, data: bigint, bytes: number, offset: number, last: boolean): Promise<Event> =>
    this.api.invokeAsync(
      `${PREFIX}TransferData`,
      this.filled({ buffer_index: index, data, offset, transfer_size: bytes, is_last_transfer: last }),
      (call) => new Event(this.api, call.word('done_with_h2d_transfer')),
    );

  /** Makes a buffer end in an error. @param message native bytes, so that the caller can overwrite them afterwards */
  setError = (index: number, code: number, message: { address: bigint; length: number }): Promise<void> =>
    this.api.invokeAsync(
      `${PREFIX}SetBufferError`,
      this.filled({
        buffer_index: index,
        error_code: code,
        error_message: message.address,
        error_message_size: message.length,
      }),
    );

  protected release(): void {
    this.invoke(`${PREFIX}Destroy`);
  }
}

const rowMajor = (api: PjrtApi, arena: Arena, rank: number): bigint =>
  makeLayout(
    api,
    arena,
    Array.from({ length: rank }, (_, i) => rank - 1 - i),
  );

/**
 * Creates a buffer whose contents, or error, are set later by `fulfill`, which consumes the handle at its first call.
 * @param layout address of the layout that these contents will have; by default dense and row-major
 */
export function createAlias(
  client: Client,
  arena: Arena,
  spec: ShapeSpec,
  memory: Memory,
  layout?: bigint,
): { buffer: Buffer; fulfill: bigint } {
  const { api } = client;
  return api.invoke(
    'PJRT_Client_CreateAliasBuffer',
    {
      client: client.pointer,
      memory: memory.pointer,
      shape_dims: arena.int64s(spec.dims).address,
      shape_num_dims: spec.dims.length,
      shape_element_type: spec.type,
      shape_layout: layout ?? rowMajor(api, arena, spec.dims.length),
    },
    (call) => ({
      buffer: new Buffer(api, call.word('alias_buffer')),
      fulfill: call.word('fulfill_alias_buffer_cb'),
    }),
  );
}

/** What an alias is fulfilled with: a buffer, or a code and a message. `client` is omitted, as in XLA. */
interface Fulfillment {
  buffer?: bigint;
  code?: number;
  message?: { address: bigint; length: number };
}

/** Fulfills an alias; on another thread, because callbacks of its events may run meanwhile. */
export const fulfillAlias = (api: PjrtApi, handle: bigint, what: Fulfillment): Promise<void> =>
  api.invokeAsync('PJRT_Client_FulfillAliasBuffer', {
    buffer: what.buffer,
    status_code: what.code,
    error_message: what.message?.address,
    error_message_size: what.message?.length,
    fulfill_alias_buffer_cb: handle,
  });

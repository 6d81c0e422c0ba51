import type { Arena } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import { Buffer, makeLayout } from './buffer.ts';
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
      const shape = shapes.at(i);
      shape.setWord('dims', arena.int64s(spec.dims).address);
      shape.setSize('num_dims', spec.dims.length);
      shape.setInt('element_type', spec.type);
    });
    return new TransferManager(
      api,
      api.invoke(
        'PJRT_Client_CreateBuffersForAsyncHostToDevice',
        (call) => {
          call.setWord('client', client.pointer);
          call.setWord('shape_specs', shapes.address);
          call.setSize('num_shape_specs', specs.length);
          call.setWord('memory', memory.pointer);
        },
        (call) => call.word('transfer_manager'),
      ),
    );
  }

  /** Retrieves a buffer; at most once for each index. */
  retrieve = (index: number): Buffer =>
    new Buffer(
      this.api,
      this.invoke(
        `${PREFIX}RetrieveBuffer`,
        (call) => call.word('buffer_out'),
        (call) => call.setInt('buffer_index', index),
      ),
    );

  /** Size of a buffer on its device, in bytes. */
  bufferSize = (index: number): number =>
    this.invoke(
      `${PREFIX}BufferSize`,
      (call) => call.size('buffer_size'),
      (call) => call.setInt('buffer_index', index),
    );

  /** Sends `bytes` bytes to an offset; on another thread, because callbacks of the buffer's events may run meanwhile. */
  transfer = (index: number, data: bigint, bytes: number, offset: number, last: boolean): Promise<Event> =>
    this.api.invokeAsync(
      `${PREFIX}TransferData`,
      this.filled((call) => {
        call.setInt('buffer_index', index);
        call.setWord('data', data);
        call.setWord('offset', BigInt.asUintN(64, BigInt(offset)));
        call.setSize('transfer_size', bytes);
        call.setBool('is_last_transfer', last);
      }),
      (call) => new Event(this.api, call.word('done_with_h2d_transfer')),
    );

  /** Makes a buffer end in an error. @param message native bytes, so that the caller can overwrite them afterwards */
  setError = (index: number, code: number, message: { address: bigint; length: number }): Promise<void> =>
    this.api.invokeAsync(
      `${PREFIX}SetBufferError`,
      this.filled((call) => {
        call.setInt('buffer_index', index);
        call.setInt('error_code', code);
        call.setWord('error_message', message.address);
        call.setSize('error_message_size', message.length);
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
    (call) => {
      call.setWord('client', client.pointer);
      call.setWord('memory', memory.pointer);
      call.setWord('shape_dims', arena.int64s(spec.dims).address);
      call.setSize('shape_num_dims', spec.dims.length);
      call.setInt('shape_element_type', spec.type);
      call.setWord('shape_layout', layout ?? rowMajor(api, arena, spec.dims.length));
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
  api.invokeAsync('PJRT_Client_FulfillAliasBuffer', (call) => {
    call.setWord('buffer', what.buffer ?? 0n);
    call.setInt('status_code', what.code ?? 0);
    call.setWord('error_message', what.message?.address ?? 0n);
    call.setSize('error_message_size', what.message?.length ?? 0);
    call.setWord('fulfill_alias_buffer_cb', handle);
  });

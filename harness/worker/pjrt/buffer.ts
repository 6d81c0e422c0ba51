import { type Arena, type Block, moveOut } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import { type Calls, here } from './calls.ts';
import { compareCanary, fillCanary } from './canary.ts';
import { Event } from './event.ts';
import { Handle } from './handle.ts';
import { readInt64s } from './strings.ts';
import type { Fields } from './struct-view.ts';

/** Poison of host destinations: an element still full of it was never written. */
export const POISON = 0xcd;

/** A requested memory layout by byte strides. */
export const makeStridesLayout = (api: PjrtApi, arena: Arena, byteStrides: readonly number[]): bigint =>
  layoutOf(api, arena, 'Strides', {
    byte_strides: arena.int64s(byteStrides, 'byte_strides').address,
    num_byte_strides: byteStrides.length,
  });

/** A requested memory layout: minor-to-major order without tiles. */
export const makeLayout = (api: PjrtApi, arena: Arena, minorToMajor: readonly number[]): bigint =>
  layoutOf(api, arena, 'Tiled', {
    minor_to_major: arena.int64s(minorToMajor, 'minor_to_major').address,
    minor_to_major_size: minorToMajor.length,
  });

function layoutOf(api: PjrtApi, arena: Arena, type: 'Tiled' | 'Strides', fields: Fields): bigint {
  const layout = api.make(arena, 'PJRT_Buffer_MemoryLayout');
  const view = layout.at(0);
  const types = api.abi.enumValues('PJRT_Buffer_MemoryLayout_Type');
  view.setInt('type', types.get(`PJRT_Buffer_MemoryLayout_Type_${type}`)!);
  const own = view.nested(type.toLowerCase(), api.struct(`PJRT_Buffer_MemoryLayout_${type}`));
  own.reset();
  own.set(fields);
  return layout.address;
}

/** A PJRT_Buffer that the harness owns. */
export class Buffer extends Handle {
  readonly kind = 'PJRT_Buffer';
  protected readonly field = 'buffer';

  elementType = (): number => this.invoke('PJRT_Buffer_ElementType', (call) => call.int('type'));
  dimensions = (): number[] =>
    this.invoke('PJRT_Buffer_Dimensions', (call) => readInt64s(call.word('dims'), call.size('num_dims')));
  onDeviceSize = (): number =>
    this.invoke('PJRT_Buffer_OnDeviceSizeInBytes', (call) => call.size('on_device_size_in_bytes'));
  device = (): bigint => this.invoke('PJRT_Buffer_Device', (call) => call.word('device'));
  memory = (): bigint => this.invoke('PJRT_Buffer_Memory', (call) => call.word('memory'));
  isDeleted = (): boolean => this.invoke('PJRT_Buffer_IsDeleted', (call) => call.byte('is_deleted') !== 0);
  isOnCpu = (): boolean => this.invoke('PJRT_Buffer_IsOnCpu', (call) => call.byte('is_on_cpu') !== 0);
  delete = (): void => this.invoke('PJRT_Buffer_Delete');
  opaquePointer = (): bigint =>
    this.invoke('PJRT_Buffer_OpaqueDeviceMemoryDataPointer', (call) => call.word('device_memory_ptr'));
  unsafePointer = (): bigint => this.invoke('PJRT_Buffer_UnsafePointer', (call) => call.word('buffer_pointer'));
  addReference = (): void => this.invoke('PJRT_Buffer_IncreaseExternalReferenceCount');
  dropReference = (): void => this.invoke('PJRT_Buffer_DecreaseExternalReferenceCount');
  readyEvent = (): Event => this.invoke('PJRT_Buffer_ReadyEvent', (call) => new Event(this.api, call.word('event')));

  /** Starts a copy on another device. @param device address of the PJRT_Device */
  copyToDevice = (device: bigint): Buffer =>
    this.invoke('PJRT_Buffer_CopyToDevice', (call) => new Buffer(this.api, call.word('dst_buffer')), {
      dst_device: device,
    });

  /** Waits until the contents are ready. */
  awaitReady = (): void => here(this.readying());

  *readying(): Calls<void> {
    const pointer = yield* this.api.calling('PJRT_Buffer_ReadyEvent', this.filled(), (call) => call.word('event'));
    const event = new Event(this.api, pointer);
    try {
      yield* event.waiting();
    } finally {
      event.destroy();
    }
  }

  /** Starts a copy to the host. */
  startCopyToHost = (destination: bigint, bytes: number, layout = 0n): Event =>
    here(this.copyingTo(destination, bytes, layout));

  *copyingTo(destination: bigint, bytes: number, layout = 0n): Calls<Event> {
    const fields = { src: this.pointer, host_layout: layout, dst: destination, dst_size: bytes };
    return new Event(
      this.api,
      yield* this.api.calling('PJRT_Buffer_ToHostBuffer', fields, (call) => call.word('event')),
    );
  }

  /** Copies the buffer to the host, dense row-major. @param size bytes of the dense array */
  toHost(arena: Arena, size: number): Uint8Array {
    const rank = this.dimensions().length;
    const order = Array.from({ length: rank }, (_, i) => rank - 1 - i);
    const { event, take } = here(this.copyingToHost(arena, size, makeLayout(this.api, arena, order)));
    try {
      event.await();
    } finally {
      event.destroy();
    }
    return take();
  }

  /**
   * Starts a copy to the host, to a destination that is poisoned before and followed by canaries.
   * @param extra bytes of the destination after those that the array needs
   * @returns `take` copies it out of native memory, once the event is ready
   */
  *copyingToHost(arena: Arena, size: number, layout = 0n, extra = 0): Calls<{ event: Event; take(): Uint8Array }> {
    const block = hostDestination(arena, size, extra);
    const take = (): Uint8Array => {
      if (!compareCanary(block, size)) {
        this.api.instrument.onFinding({
          type: 'pjrt.MemoryOverrun',
          level: 'must',
          message: `PJRT_Buffer_ToHostBuffer wrote past the ${size} bytes of its destination`,
          call: 'PJRT_Buffer_ToHostBuffer',
          requirements: ['BUF-D2H-002'],
        });
      }
      const { recording } = this.api.instrument;
      const taken = recording?.taken(block);
      const bytes = moveOut(block, size);
      if (taken !== undefined) recording?.holds(bytes, taken);
      return bytes;
    };
    return { event: yield* this.copyingTo(block.address, size + extra, layout), take };
  }

  protected release(): void {
    this.invoke('PJRT_Buffer_Destroy');
  }
}

/** A poisoned destination followed by a canary; never of zero length, because a NULL destination is a size query. */
export function hostDestination(arena: Arena, size: number, extra = 0): Block {
  const block = arena.room(size + extra, 'dst', { after: 64, align: 64 });
  block.bytes.fill(POISON);
  fillCanary(block, size);
  return block;
}

/** Buffers that are made in other ways: without contents, with an error, over memory of another one. */
import type { Move } from '../move.ts';
import { TYPES, VECTOR } from '../programs.ts';
import { bufferOf, LENGTHS, rankTaken, refusing } from '../things.ts';
import { type ArrayType, type BufferThing, ERROR, type Gate, isLive, isReady, lossOf, sameType } from '../world.ts';

const shaped = { shape_dims: [...VECTOR.shape], shape_element_type: { dtype: VECTOR.dtype } };

export const SPECIAL: Readonly<Record<string, Move>> = {
  uninitialized: {
    weight: 1,
    draw: (random, _, world) => ({ device: random.below(world.devices) }),
    play: ({ world, id, settings }) => {
      const device = settings.device as number;
      bufferOf(world, id, { type: VECTOR, device, contents: undefined });
      return [
        {
          call: 'PJRT_Client_CreateUninitializedBuffer',
          with: { client: '$client', ...shaped, shape_layout: null, device: `$devices[${device}]` },
          as: { [id]: 'buffer' },
          breaks: ['BUF-UNI-001'],
        },
      ];
    },
  },
  'error-buffer': {
    weight: 1,
    draw: (random) => ({ type: random.once(2) ? VECTOR : random.pick(TYPES), length: random.pick(LENGTHS) }),
    distinguishes: ['length'],
    play: ({ world, id, settings }) => {
      const type = settings.type as ArrayType;
      const length = settings.length as number;
      const gate: Gate = { kind: 'gate', id: `${id}_gate`, state: 'failed', via: 'error', missing: [], length };
      const message = lossOf(gate);
      bufferOf(world, id, { type, contents: `${id}_never`, waits: [gate] });
      return [
        ...rankTaken(id, type),
        {
          call: 'PJRT_Client_CreateErrorBuffer',
          with: {
            client: '$client',
            error_code: { enum: ERROR },
            error_message: message,
            shape_dims: [...type.shape],
            shape_element_type: { dtype: type.dtype },
            memory: '$memory',
          },
          as: { [id]: 'buffer' },
          overwritten: true,
          breaks: [refusing(type, 'BUF-ERRB-001')],
        },
        { await: { buffer: `$${id}`, error: { must: 'any', message } }, breaks: ['BUF-ERRB-001'] },
      ];
    },
  },
  view: {
    weight: 1,
    // The reference that it takes stays, so that the memory outlives the view.
    needs: {
      source: (thing) =>
        isReady(thing) && thing.device === 0 && thing.memory === undefined && sameType(thing.type, VECTOR),
    },
    play: ({ world, id, things }) => {
      const source = things.source as BufferThing;
      source.references++;
      source.lends = true;
      bufferOf(world, id, { type: VECTOR, contents: source.contents, borrows: true, address: `${id}_at` });
      return [
        { call: 'PJRT_Buffer_IncreaseExternalReferenceCount', with: { buffer: `$${source.id}` } },
        {
          call: 'PJRT_Buffer_OpaqueDeviceMemoryDataPointer',
          with: { buffer: `$${source.id}` },
          as: { [`${id}_at`]: 'device_memory_ptr' },
        },
        {
          call: 'PJRT_Client_CreateViewOfDeviceBuffer',
          with: {
            client: '$client',
            device_buffer_ptr: `$${id}_at`,
            on_delete_callback: { callback: 'ignore' },
            dims: [...VECTOR.shape],
            element_type: { dtype: VECTOR.dtype },
            device: '$device',
          },
          as: { [id]: 'buffer' },
          breaks: ['BUF-VIEW-001'],
        },
      ];
    },
  },
  // It is the memory, not a copy of it, where that shows.
  'view-address': {
    weight: 1,
    needs: { view: (thing) => isLive(thing) && thing.address !== undefined },
    play: ({ things }) => {
      const { id, address } = things.view as BufferThing;
      return [
        {
          call: 'PJRT_Buffer_IsOnCpu',
          with: { buffer: `$${id}` },
          expect: { is_on_cpu: { equals: true } },
          precondition: 'the memory of buffers is the memory of this process',
        },
        {
          call: 'PJRT_Buffer_OpaqueDeviceMemoryDataPointer',
          with: { buffer: `$${id}` },
          expect: { device_memory_ptr: { equals: `$${address}` } },
          breaks: ['BUF-VIEW-001'],
        },
      ];
    },
  },
};

/** Calls that are refused and change nothing: the error is read at once, or kept and asked later. */
import type { Move, Turn } from '../move.ts';
import { type BufferThing, isFree, isLive, isReady, type Thing, type World } from '../world.ts';
import { REFUSED } from './refused.ts';

/** A wrong call: what it needs, how it is made, and the requirement that it is refused. */
interface Wrong {
  when?: (world: World) => boolean;
  needs?: (thing: Thing) => boolean;
  call: string;
  with: (thing: string, turn: Turn) => Record<string, unknown>;
  breaks: string;
}

const isDeleted = (thing: Thing): boolean => thing.kind === 'buffer' && thing.state === 'deleted';

/** A transfer of three numbers, but for what is wrong. */
const transfer = (wrong: Record<string, unknown>): Pick<Wrong, 'call' | 'with'> => ({
  call: 'PJRT_Client_BufferFromHostBuffer',
  with: () => ({
    client: '$client',
    data: { bytes: '000000000000000000000000' },
    type: { enum: 'S32' },
    dims: [3],
    device: '$device',
    host_buffer_semantics: { enum: 'kImmutableOnlyDuringCall' },
    ...wrong,
  }),
});

const WRONG: Readonly<Record<string, Wrong>> = {
  'unknown device': {
    call: 'PJRT_Client_LookupDevice',
    with: () => ({ client: '$client', id: 2_000_000_000 }),
    breaks: 'CLI-LKP-002',
  },
  'negative dimension': { ...transfer({ dims: [-3] }), breaks: 'BUF-HOST-006' },
  'layout of another rank': {
    ...transfer({
      device_layout: {
        struct: 'PJRT_Buffer_MemoryLayout',
        with: {
          tiled: { struct: 'PJRT_Buffer_MemoryLayout_Tiled', with: { minor_to_major: [1, 0] } },
          type: { enum: 'Tiled' },
        },
      },
    }),
    breaks: 'BUF-HOST-026',
  },
  'reference too many': {
    needs: (thing) => isLive(thing) && thing.references === 0,
    call: 'PJRT_Buffer_DecreaseExternalReferenceCount',
    with: (buffer) => ({ buffer }),
    breaks: 'BUF-REF-002',
  },
  'small destination': {
    needs: (thing) => isReady(thing) && thing.contents !== undefined && !thing.type.shape.includes(0),
    call: 'PJRT_Buffer_ToHostBuffer',
    with: (src) => ({ src, dst: { room: 1 }, dst_size: 0 }),
    breaks: 'BUF-D2H-003',
  },
  'address of a deleted buffer': {
    needs: isDeleted,
    call: 'PJRT_Buffer_UnsafePointer',
    with: (buffer) => ({ buffer }),
    breaks: 'BUF-DEL-006',
  },
  'copy of a deleted buffer': {
    when: ({ devices }) => devices > 1,
    needs: isDeleted,
    call: 'PJRT_Buffer_CopyToDevice',
    with: (buffer, { things, world }) => ({
      buffer,
      dst_device: `$devices[${((things.thing as BufferThing).device + 1) % world.devices}]`,
    }),
    breaks: 'BUF-DEL-006',
  },
  'copy of a deleted buffer to a memory': {
    needs: isDeleted,
    call: 'PJRT_Buffer_CopyToMemory',
    with: (buffer) => ({ buffer, dst_memory: '$memories[1]' }),
    breaks: 'BUF-DEL-006',
  },
  // No padding makes an array of a session as large.
  'bitcast to another size': {
    needs: (thing) => isReady(thing) && isFree(thing),
    call: 'PJRT_Buffer_Bitcast',
    with: (buffer) => ({ buffer, element_type: { dtype: 'f32' }, dims: [2 ** 20] }),
    breaks: 'BUF-BIT-001',
  },
};

type Ending = (turn: Turn, wrong: { name: string; breaks: string }) => Record<string, unknown>;

const ENDINGS: Readonly<Record<string, Ending>> = {
  refused: (_, { breaks }) => ({ error: REFUSED, breaks: [breaks] }),
  kept: ({ world, id }, { name, breaks }) => {
    world.things.set(id, { kind: 'error', id, state: 'live' });
    return { unread: id, precondition: `this is refused: ${name}`, breaks: [breaks] };
  },
};

export const WRONG_CALLS: Readonly<Record<string, Move>> = Object.fromEntries(
  Object.entries(WRONG).flatMap(([name, { when, needs, call, with: given, breaks }]) =>
    Object.entries(ENDINGS).map(([ending, endsWith]): [string, Move] => [
      `${name}, ${ending}`,
      {
        weight: 0.5,
        ...(when ? { when } : {}),
        ...(needs ? { needs: { thing: needs } } : {}),
        play: (turn) => [{ call, with: given(`$${turn.things.thing?.id}`, turn), ...endsWith(turn, { name, breaks }) }],
      },
    ]),
  ),
);

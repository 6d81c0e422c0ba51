/** Arrays between host, devices and memories. */
import type { Data } from '../../../knowledge/numerics/data.ts';
import type { RawStep } from '../../../suite/raw.ts';
import type { Move, Turn } from '../move.ts';
import { TYPES } from '../programs.ts';
import { asData, bufferOf, contentsOf } from '../things.ts';
import {
  type ArrayType,
  type BufferThing,
  isFree,
  isLive,
  isOpen,
  isReady,
  isUsable,
  type Thing,
  type World,
} from '../world.ts';

const SEMANTICS = ['during-call', 'until-transfer-completes', 'zero-copy'];
/** Least dimensions of which orders differ. */
const ORDERED = 2;

const onAnotherDevice = (world: World): boolean => world.devices > 1;

/** An array that no other of the session equals. */
export const freshData = ({ dtype, shape }: ArrayType, seed: number): Data =>
  dtype === 'pred'
    ? { draw: { dtype, shape: [...shape], of: [true, false], seed } }
    : dtype === 'u8'
      ? { draw: { dtype, shape: [...shape], of: [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233], seed } }
      : shape.includes(0)
        ? { fill: { dtype, shape: [...shape], value: 0 } }
        : { hash: { dtype, shape: [...shape], seed, range: 100 } };

function send({ world, id, settings }: Turn): RawStep[] {
  const { semantics, order, layout, wait, device, seed } = settings;
  const type = settings.type as ArrayType;
  const lent = semantics === 'zero-copy';
  const buffer = bufferOf(world, id, { type, device: device as number, contents: contentsOf(id) });
  if (lent) buffer.host = `${id}_host`;
  const columnMajor = type.shape.map((_, i) => i);
  const done = wait ? undefined : `${id}_done`;
  if (done) world.things.set(done, { kind: 'event', id: done, state: 'live', waits: [] });
  return [
    asData(world, contentsOf(id), freshData(type, seed as number)),
    {
      put: {
        as: id,
        data: `$${contentsOf(id)}`,
        semantics,
        ...(device === 0 ? {} : { on: `$devices[${device}]` }),
        ...(order ? { order: columnMajor } : {}),
        ...(layout ? { layout: 'row-major' } : {}),
        ...(lent ? { host: `${id}_host` } : {}),
        ...(done ? { wait: false, done } : lent ? {} : { reused: true }),
      },
      breaks: ['BUF-HOST-002'],
    },
  ];
}

/** A copy of a buffer, which waits for what its source waits for. */
function copied(turn: Turn, at: Partial<BufferThing>): void {
  const source = turn.things.source as BufferThing;
  bufferOf(turn.world, turn.id, { ...at, type: source.type, contents: source.contents, waits: source.waits });
  source.readers = [...source.readers, ...source.waits];
}

const settled = (thing: Thing): boolean => isUsable(thing);

export const TRANSFERS: Readonly<Record<string, Move>> = {
  send: {
    weight: 8,
    draw: (random, _, world) => {
      const type = random.pick(TYPES);
      const semantics = random.pick(SEMANTICS);
      return {
        type,
        semantics,
        order: type.shape.length >= ORDERED && random.once(3),
        layout: random.once(4),
        wait: semantics === 'zero-copy' || !random.once(3),
        device: random.below(world.devices),
        // Some are equal.
        seed: random.below(random.once(3) ? 2 : 1e6),
      };
    },
    distinguishes: ['semantics', 'order', 'wait', 'type'],
    play: send,
  },
  read: {
    weight: 5,
    needs: { buffer: (thing) => isReady(thing) && thing.contents !== undefined },
    draw: (random) => ({ layout: random.pick(['row-major', 'reversed', 'own', 'source']) }),
    distinguishes: ['layout'],
    play: ({ things, settings }) => [
      {
        get: {
          buffer: `$${things.buffer!.id}`,
          layout: settings.layout,
          equals: `$${(things.buffer as BufferThing).contents}`,
          compare: { zero: 'unsigned' },
        },
        breaks: ['BUF-D2H-004'],
      },
    ],
  },
  // What is ready lies there, whoever looks.
  'read-in-place': {
    weight: 1,
    needs: { buffer: (thing) => isReady(thing) && thing.contents !== undefined && thing.type.shape.length < ORDERED },
    play: ({ things }) => {
      const { id: buffer, contents } = things.buffer as BufferThing;
      return [
        { await: { buffer: `$${buffer}` } },
        {
          get: { buffer: `$${buffer}`, from: 'address', equals: `$${contents}`, compare: { zero: 'unsigned' } },
          breaks: ['BUF-RDY-001'],
        },
      ];
    },
  },
  'size-query': {
    weight: 1,
    needs: { buffer: (thing) => isReady(thing) && thing.contents !== undefined },
    play: ({ things }) => {
      const { id, contents } = things.buffer as BufferThing;
      return [
        {
          call: 'PJRT_Buffer_ToHostBuffer',
          with: { src: `$${id}`, dst: null, host_layout: { layoutOf: `$${contents}` } },
          expect: { dst_size: { equals: { bytesOf: `$${contents}` } } },
          refusable: 'questions for the size of an array',
          breaks: ['BUF-D2H-001'],
        },
      ];
    },
  },
  'delete-again': {
    weight: 1,
    needs: { buffer: (thing) => thing.kind === 'buffer' && thing.state === 'deleted' },
    play: ({ things }) => [
      { call: 'PJRT_Buffer_Delete', with: { buffer: `$${things.buffer!.id}` }, breaks: ['BUF-DEL-004'] },
    ],
  },
  'read-while': {
    weight: 3,
    needs: {
      buffer: (thing) => isReady(thing) && thing.contents !== undefined && isFree(thing),
    },
    draw: (random) => ({ ends: random.pick(['delete', 'destroy']) }),
    distinguishes: ['ends'],
    play: ({ things, settings }) => {
      const buffer = things.buffer as BufferThing;
      buffer.state = settings.ends === 'delete' ? 'deleted' : 'gone';
      const end: RawStep =
        settings.ends === 'delete'
          ? { call: 'PJRT_Buffer_Delete', with: { buffer: `$${buffer.id}` } }
          : { destroy: `$${buffer.id}` };
      return [
        {
          get: { buffer: `$${buffer.id}`, equals: `$${buffer.contents}`, compare: { zero: 'unsigned' } },
          meanwhile: [end],
          breaks: [settings.ends === 'delete' ? 'BUF-DEL-003' : 'BUF-DEL-002'],
        },
      ];
    },
  },
  'copy-to-device': {
    weight: 4,
    when: onAnotherDevice,
    needs: { source: settled },
    draw: (random, { source }, { devices }) => ({
      device: ((source as BufferThing).device + random.between(1, devices - 1)) % devices,
    }),
    play: (turn) => {
      const device = turn.settings.device as number;
      copied(turn, { device });
      return [
        {
          call: 'PJRT_Buffer_CopyToDevice',
          with: { buffer: `$${turn.things.source!.id}`, dst_device: `$devices[${device}]` },
          as: { [turn.id]: 'dst_buffer' },
          expect: { dst_buffer: { isNull: false } },
          breaks: ['BUF-CPY-001'],
        },
      ];
    },
  },
  'copy-to-memory': {
    weight: 3,
    needs: { source: (thing) => settled(thing) && (thing as BufferThing).memory === undefined },
    play: (turn) => {
      const { things, world, id } = turn;
      const { device } = things.source as BufferThing;
      copied(turn, { device, memory: 1 });
      const list = `home${device}`;
      const known = world.data.has(list);
      world.data.add(list);
      return [
        ...(known ? [] : memoriesOf(device, list)),
        {
          call: 'PJRT_Buffer_CopyToMemory',
          with: { buffer: `$${things.source!.id}`, dst_memory: `$${list}[1]` },
          as: { [id]: 'dst_buffer' },
          expect: { dst_buffer: { isNull: false } },
          breaks: ['BUF-CPY-003'],
        },
      ];
    },
  },
  reference: {
    weight: 2,
    needs: { buffer: isReady },
    play: ({ things }) => {
      const buffer = things.buffer as BufferThing;
      buffer.references++;
      return [
        {
          call: 'PJRT_Buffer_IncreaseExternalReferenceCount',
          with: { buffer: `$${buffer.id}` },
          breaks: ['BUF-REF-001'],
        },
      ];
    },
  },
  'drop-reference': {
    weight: 2,
    needs: { buffer: (thing) => isLive(thing) && thing.references > (thing.lends ? 1 : 0) },
    play: ({ things }) => {
      const buffer = things.buffer as BufferThing;
      buffer.references--;
      return [
        {
          call: 'PJRT_Buffer_DecreaseExternalReferenceCount',
          with: { buffer: `$${buffer.id}` },
          breaks: ['BUF-REF-002'],
        },
      ];
    },
  },
  'delete-buffer': {
    weight: 2,
    needs: { buffer: (thing) => isLive(thing) && isFree(thing) },
    play: ({ things, world }) => {
      const buffer = things.buffer as BufferThing;
      buffer.state = 'deleted';
      unsettle(world, buffer);
      return [
        { call: 'PJRT_Buffer_Delete', with: { buffer: `$${buffer.id}` }, breaks: ['BUF-DEL-003'] },
        {
          call: 'PJRT_Buffer_IsDeleted',
          with: { buffer: `$${buffer.id}` },
          expect: { is_deleted: { equals: true } },
          breaks: ['BUF-DEL-005'],
        },
      ];
    },
  },
  'destroy-buffer': {
    weight: 3,
    needs: { buffer: (thing) => thing.kind === 'buffer' && thing.state !== 'gone' && isFree(thing) },
    play: ({ things, world }) => {
      const buffer = things.buffer as BufferThing;
      buffer.state = 'gone';
      unsettle(world, buffer);
      return [{ destroy: `$${buffer.id}`, breaks: ['BUF-DEL-002'] }];
    },
  },
};

/** The second memory of a device, where it is not the one in which buffers are anyway. */
const memoriesOf = (device: number, list: string): RawStep[] => [
  { call: 'PJRT_Device_AddressableMemories', with: { device: `$devices[${device}]` }, as: { [list]: 'memories' } },
  { call: 'PJRT_Device_DefaultMemory', with: { device: `$devices[${device}]` }, as: { [`${list}_usual`]: 'memory' } },
  {
    expect: { actual: `$${list}[1]`, not: `$${list}_usual` },
    precondition: 'the second memory of a device is not its default memory',
  },
];

/** Nobody says how the events of a buffer end that was deleted before it was ready. */
function unsettle(world: World, { waits }: BufferThing): void {
  if (!isOpen(waits)) return;
  for (const thing of world.things.values()) {
    if (thing.kind !== 'event' && thing.kind !== 'listener') continue;
    if (thing.waits.some((gate) => waits.includes(gate) && gate.state === 'open')) thing.open = true;
  }
}

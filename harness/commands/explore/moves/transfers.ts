/** Arrays between host, devices and memories. */
import type { Data } from '../../../knowledge/numerics/data.ts';
import { dtype as dtypeOf } from '../../../knowledge/numerics/dtypes.ts';
import { denseStrides } from '../../../knowledge/numerics/strided.ts';
import type { RawStep } from '../../../suite/raw.ts';
import type { Action, Move, Turn } from '../move.ts';
import { isComputed, TYPES } from '../programs.ts';
import { asData, bufferOf, contentsOf, elements, refusable, refusing, USUAL_RANK } from '../things.ts';
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

/** Of the numbers that are computed with, and of others: those of a narrower type are all that it holds exactly. */
const SMALL = 100;
const ANY = 2 ** 30;
/** Elements of arrays that are made quickly with any numbers. */
const FEW = 512;

/**
 * An array that no other of the session equals; what nothing computes with uses all bits of its numbers, or has limits and special
 * values, unless it is large.
 */
export const freshData = (type: ArrayType, seed: number): Data => {
  const [dtype, shape] = [type.dtype, [...type.shape]];
  if (dtype === 'pred') return { draw: { dtype, shape, of: [true, false], seed } };
  if (shape.includes(0)) return { fill: { dtype, shape, value: 0 } };
  if (!isComputed(type) && elements(type) <= FEW && seed % 2 === 1) return { edges: { dtype, shape, seed } };
  return { hash: { dtype, shape, seed, range: isComputed(type) || elements(type) > FEW ? SMALL : ANY } };
};

/** Ways to lay an array out on the host: the byte strides that are sent, and what it violates to read them wrongly. */
const LAYOUTS: Readonly<Record<string, { strides?: (type: ArrayType) => number[]; breaks: string; least?: number }>> = {
  plain: { breaks: 'BUF-HOST-002' },
  dense: { strides: (type) => dense(type), breaks: 'BUF-HOST-009' },
  columns: {
    strides: (type) =>
      dense(
        type,
        type.shape.map((_, i) => i),
      ),
    breaks: 'BUF-HOST-009',
    least: ORDERED,
  },
  gaps: { strides: ({ dtype, shape }) => dense({ dtype, shape: shape.map((n) => n + 1) }), breaks: 'BUF-HOST-009' },
  backwards: { strides: (type) => dense(type).map((n) => -n), breaks: 'BUF-HOST-010' },
  'rows backwards': {
    strides: (type) => dense(type).map((n, i) => (i === 0 ? -n : n)),
    breaks: 'BUF-HOST-010',
    least: ORDERED,
  },
};

const dense = ({ dtype, shape }: ArrayType, order?: readonly number[]): number[] =>
  denseStrides(shape, dtypeOf(dtype).hostBytes, order);

/** Layouts that an array of this type can have; of arrays without elements nobody needs to look at strides. */
const layoutsOf = ({ shape }: ArrayType): string[] =>
  Object.keys(LAYOUTS).filter(
    (name) => name === 'plain' || (shape.length >= (LAYOUTS[name]!.least ?? 1) && !shape.includes(0)),
  );

function send({ world, id, settings }: Turn): RawStep[] {
  const { semantics, layout, wait, device, seed } = settings;
  const { strides, breaks } = LAYOUTS[settings.strides as string]!;
  const type = settings.type as ArrayType;
  const lent = semantics === 'zero-copy';
  const buffer = bufferOf(world, id, { type, device: device as number, contents: contentsOf(id) });
  if (lent) buffer.host = `${id}_host`;
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
        ...(strides ? { strides: strides(type) } : {}),
        ...(layout ? { layout: 'row-major' } : {}),
        ...(lent ? { host: `${id}_host` } : {}),
        ...(done ? { wait: false, done } : lent ? {} : { reused: true }),
      },
      ...refusable(type),
      breaks: [breaks],
    },
  ];
}

/** A transfer of which only the type can be refused. */
export const sendingPlainly = (type: ArrayType): Action => ({
  ...{ move: 'send', id: 'plain', things: {} },
  settings: { type, semantics: 'during-call', strides: 'plain', layout: false, wait: true, device: 0, seed: 1 },
});

/** The plainest move that makes an array of the type that a move has, under its name. */
export function madePlainly({ move, id, settings, lane }: Action): Action | undefined {
  if (typeof settings.type !== 'object') return undefined;
  const plain = sendingPlainly(settings.type);
  const same =
    move === plain.move &&
    Object.entries(plain.settings).every(([name, of]) => name === 'seed' || settings[name] === of || name === 'type');
  return same ? undefined : { ...plain, id, ...(lane === undefined ? {} : { lane }) };
}

/** How many copies are made at once, and whether one of two ends at once. */
const COPIES = ['one', 'one', 'two', 'two, one deleted', 'two, one destroyed'];

/** Copies of a buffer, which wait for what their source waits for. @param make makes one @param where asks where it is */
function copied(
  { world, id, things, settings }: Turn,
  at: Partial<BufferThing>,
  make: (source: string, as: string) => RawStep,
  where: (copy: BufferThing) => RawStep[],
): RawStep[] {
  const source = things.source as BufferThing;
  const copies = (settings.copies === 'one' ? [id] : [id, `${id}_other`]).map((name) =>
    bufferOf(world, name, { ...at, type: source.type, contents: source.contents, waits: source.waits }),
  );
  source.readers = [...source.readers, ...source.waits];
  const [first] = copies as [BufferThing];
  const made = copies.flatMap((copy) => [make(source.id, copy.id), ...where(copy)]);
  if (settings.copies === 'two, one deleted') {
    first.state = 'deleted';
    return [
      ...made,
      { call: 'PJRT_Buffer_Delete', with: { buffer: `$${id}` }, breaks: ['BUF-DEL-003'] },
      ...alive(copies[1]!),
    ];
  }
  if (settings.copies === 'two, one destroyed') {
    first.state = 'gone';
    return [...made, { destroy: `$${id}`, breaks: ['BUF-DEL-002'] }, ...alive(copies[1]!)];
  }
  return made;
}

/** The end of one buffer is that of no other. */
const alive = ({ id }: BufferThing): RawStep[] => [
  {
    call: 'PJRT_Buffer_IsDeleted',
    with: { buffer: `$${id}` },
    expect: { is_deleted: { equals: false } },
    breaks: ['BUF-DEL-005'],
  },
];

/** A buffer that lies in the second memory of its device says so, if it says anything. */
export const inItsMemory = ({ id, device }: BufferThing, breaks: string): RawStep[] => [
  {
    'if-offered': [
      {
        call: 'PJRT_Buffer_Memory',
        with: { buffer: `$${id}` },
        expect: { memory: { equals: `$home${device}[1]` } },
        breaks: [breaks],
      },
    ],
  },
];

/** Binds the memories of a device, once. */
export function home(world: World, device: number): RawStep[] {
  const list = `home${device}`;
  if (world.data.has(list)) return [];
  world.data.add(list);
  return memoriesOf(device, list);
}

/** Just beyond what nothing, one, two and two and a half bytes of an offset hold. */
const EDGES = [1, 257, 65_537, 1_048_577];
const bytesOf = (type: ArrayType): number => elements(type) * dtypeOf(type.dtype).hostBytes;

const LARGE: ArrayType = { dtype: 's32', shape: [262_150] };

/** Types of arrays of which many are read at once. */
const MANY = TYPES.filter(
  (type) => bytesOf(type) > 0 && bytesOf(type) <= 4096 && type.dtype !== 'pred' && type.shape.length <= USUAL_RANK,
);
const MOST_READS = 24;

/** Arrays of their own are read all at once. */
function readMany({ id, settings }: Turn): RawStep[] {
  const { count, device, seed } = settings as { count: number; device: number; seed: number };
  const { dtype, shape } = settings.type as ArrayType;
  const [one, buffer, arrays, buffers, read] = ['one', 'buffer', 'are', 'all', 'read'].map((what) => `${id}_${what}`);
  return [
    {
      'for-each': { [`${id}_n`]: Array.from({ length: count }, (_, n) => seed + n) },
      steps: [
        { data: { as: one, data: { hash: { dtype, shape: [...shape], seed: `$${id}_n`, range: SMALL } } } },
        { put: { as: buffer, data: `$${one}`, ...(device === 0 ? {} : { on: `$devices[${device}]` }) } },
      ],
      collect: { [arrays!]: `$${one}`, [buffers!]: `$${buffer}` },
    },
    // What happens meanwhile lets all begin before the first is waited for.
    {
      get: { buffer: `$${buffers}`, as: read },
      meanwhile: [{ put: { as: `${id}_other`, data: { fill: { dtype, shape: [...shape], value: 0 } } } }],
      breaks: ['BUF-D2H-004'],
    },
    { expect: { actual: `$${read}`, equals: `$${arrays}` }, breaks: ['BUF-D2H-004'] },
  ];
}

/** Least dimensions of which an order is not always its own inverse. */
const ROTATED = 3;

/** Of two values it is not known in which order they came. */
const ordersOf = ({ dtype, shape }: ArrayType): string[] => [
  ...['row-major', 'own'],
  ...(dtype === 'pred' ? [] : ['reversed', 'source']),
  ...(dtype === 'pred' || shape.length < ROTATED ? [] : ['rotated', 'rotated back']),
];

/** A named layout, or an order of dimensions, minor to major, that no name says. */
function orderOf(layout: string, { type: { shape } }: BufferThing): string | number[] {
  const order = shape.map((_, i) => i);
  if (layout === 'rotated') return [...order.slice(1), 0];
  if (layout === 'rotated back') return [order.length - 1, ...order.slice(0, -1)];
  return layout;
}

const settled = (thing: Thing): boolean => isUsable(thing);

/** Whether a bitcast may take a buffer: nobody else needs its memory, which is the usual one. */
const isCastable = (thing: Thing): boolean =>
  isReady(thing) &&
  thing.contents !== undefined &&
  isFree(thing) &&
  !thing.borrows &&
  thing.host === undefined &&
  thing.memory === undefined;

/** A bitcast to what a buffer is anyway, which no layout of devices makes another size. */
function cast(source: BufferThing, id: string): RawStep {
  source.state = 'spent';
  const { type } = source;
  return {
    call: 'PJRT_Buffer_Bitcast',
    with: { buffer: `$${source.id}`, element_type: { dtype: type.dtype }, dims: [...type.shape] },
    as: { [id]: 'out_buffer' },
    // The layout that it was sent with may be another one.
    refusable: 'a bitcast to the default layout',
    breaks: ['BUF-BIT-001'],
  };
}

/** Ways in which a buffer ends, and what it violates if a read that has begun does not give what it held. */
const ENDS: Readonly<Record<string, (buffer: BufferThing, id: string) => [RawStep, string]>> = {
  delete: (buffer) => {
    buffer.state = 'deleted';
    return [{ call: 'PJRT_Buffer_Delete', with: { buffer: `$${buffer.id}` } }, 'BUF-DEL-003'];
  },
  destroy: (buffer) => {
    buffer.state = 'gone';
    return [{ destroy: `$${buffer.id}` }, 'BUF-DEL-002'];
  },
  // What it gives ends with the read.
  bitcast: (buffer, id) => [cast(buffer, id), 'BUF-BIT-002'],
};

export const TRANSFERS: Readonly<Record<string, Move>> = {
  send: {
    weight: 8,
    draw: (random, _, world) => {
      const type = random.pick(TYPES);
      const semantics = random.pick(SEMANTICS);
      return {
        type,
        semantics,
        strides: random.once(2) ? 'plain' : random.pick(layoutsOf(type)),
        layout: random.once(4),
        wait: semantics === 'zero-copy' || !random.once(3),
        device: random.below(world.devices),
        // Some are equal.
        seed: random.below(random.once(3) ? 2 : 1e6),
      };
    },
    distinguishes: ['semantics', 'strides', 'wait', 'type'],
    play: send,
  },
  // Two of the same data: the end of one is that of no other.
  'send-twice': {
    weight: 2,
    draw: (random, _, world) => ({
      type: random.pick(TYPES),
      end: random.pick(['delete', 'destroy']),
      device: random.below(world.devices),
      seed: random.below(1e6),
    }),
    distinguishes: ['end', 'type'],
    play: ({ world, id, settings }) => {
      const { end, device, seed } = settings as { end: string; device: number; seed: number };
      const type = settings.type as ArrayType;
      const contents = contentsOf(id);
      const [one, other] = [`${id}_other`, id].map((name) => bufferOf(world, name, { type, device, contents }));
      return [
        asData(world, contents, freshData(type, seed)),
        ...[one!, other!].map((buffer) => ({
          put: { as: buffer.id, data: `$${contents}`, ...(device === 0 ? {} : { on: `$devices[${device}]` }) },
          ...refusable(type),
          breaks: ['BUF-HOST-002'],
        })),
        ENDS[end]!(one!, id)[0],
        ...alive(other!),
      ];
    },
  },
  read: {
    weight: 5,
    needs: { buffer: (thing) => isReady(thing) && thing.contents !== undefined },
    draw: (random, { buffer }) => ({ layout: random.pick(ordersOf((buffer as BufferThing).type)) }),
    distinguishes: ['layout'],
    play: ({ things, settings }) => [
      {
        get: {
          buffer: `$${things.buffer!.id}`,
          layout: orderOf(settings.layout as string, things.buffer as BufferThing),
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
    draw: (random) => ({ layout: random.once(2) }),
    distinguishes: ['layout'],
    play: ({ things, settings }) => {
      const { id, contents } = things.buffer as BufferThing;
      return [
        {
          call: 'PJRT_Buffer_ToHostBuffer',
          with: { src: `$${id}`, dst: null, ...(settings.layout ? { host_layout: { layoutOf: `$${contents}` } } : {}) },
          expect: { dst_size: { equals: { bytesOf: `$${contents}` } } },
          breaks: ['BUF-D2H-001'],
        },
      ];
    },
  },
  'read-raw': {
    weight: 2,
    needs: { buffer: (thing) => isReady(thing) && thing.contents !== undefined && elements(thing.type) > 0 },
    draw: (random) => ({ parts: random.once(2) }),
    distinguishes: ['parts'],
    play: ({ things, settings }) => {
      const { id: buffer, contents, type } = things.buffer as BufferThing;
      return [
        {
          get: {
            buffer: `$${buffer}`,
            from: 'raw',
            ...(settings.parts ? { parts: EDGES.filter((edge) => edge < bytesOf(type)) } : {}),
            equals: `$${contents}`,
            compare: { zero: 'unsigned' },
          },
          breaks: ['BUF-RAW-001'],
        },
      ];
    },
  },
  // Offsets in arrays of sessions are small.
  'read-raw-large': {
    weight: 0.5,
    draw: (random) => ({ type: LARGE, seed: random.below(1e6) }),
    play: ({ world, id, settings }) => {
      const data = contentsOf(id);
      return [
        asData(world, data, freshData(settings.type as ArrayType, settings.seed as number)),
        { put: { as: id, data: `$${data}` }, breaks: ['BUF-HOST-002'] },
        { get: { buffer: `$${id}`, from: 'raw', parts: [...EDGES], equals: `$${data}` }, breaks: ['BUF-RAW-001'] },
        { destroy: `$${id}` },
      ];
    },
  },
  'read-many': {
    weight: 1,
    draw: (random, _, world) => ({
      type: random.pick(MANY),
      count: random.between(2, MOST_READS),
      device: random.below(world.devices),
      seed: random.below(1e6),
    }),
    distinguishes: ['type'],
    play: readMany,
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
    draw: (random, { buffer }) => ({
      ends: random.pick(isCastable(buffer!) ? ['delete', 'destroy', 'bitcast'] : ['delete', 'destroy']),
    }),
    distinguishes: ['ends'],
    play: ({ id, things, settings }) => {
      const buffer = things.buffer as BufferThing;
      const [end, breaks] = ENDS[settings.ends as string]!(buffer, id);
      const get = { buffer: `$${buffer.id}`, equals: `$${buffer.contents}`, compare: { zero: 'unsigned' } };
      return [{ get, meanwhile: [end], breaks: [breaks] }];
    },
  },
  'copy-to-device': {
    weight: 4,
    when: onAnotherDevice,
    needs: { source: settled },
    draw: (random, { source }, { devices }) => ({
      device: ((source as BufferThing).device + random.between(1, devices - 1)) % devices,
      copies: random.pick(COPIES),
    }),
    distinguishes: ['copies'],
    play: (turn) => {
      const device = turn.settings.device as number;
      return copied(
        turn,
        { device },
        (source, as) => ({
          call: 'PJRT_Buffer_CopyToDevice',
          with: { buffer: `$${source}`, dst_device: `$devices[${device}]` },
          as: { [as]: 'dst_buffer' },
          expect: { dst_buffer: { isNull: false } },
          breaks: [refusing((turn.things.source as BufferThing).type, 'BUF-CPY-001')],
        }),
        () => [],
      );
    },
  },
  'copy-to-memory': {
    weight: 3,
    needs: { source: (thing) => settled(thing) && (thing as BufferThing).memory === undefined },
    draw: (random) => ({ copies: random.pick(COPIES) }),
    distinguishes: ['copies'],
    play: (turn) => {
      const { device } = turn.things.source as BufferThing;
      return [
        ...home(turn.world, device),
        ...copied(
          turn,
          { device, memory: 1 },
          (source, as) => ({
            call: 'PJRT_Buffer_CopyToMemory',
            with: { buffer: `$${source}`, dst_memory: `$home${device}[1]` },
            as: { [as]: 'dst_buffer' },
            expect: { dst_buffer: { isNull: false } },
            breaks: [refusing((turn.things.source as BufferThing).type, 'BUF-CPY-003')],
          }),
          (copy) => inItsMemory(copy, 'BUF-CPY-003'),
        ),
      ];
    },
  },
  bitcast: {
    weight: 1,
    needs: { source: isCastable },
    play: ({ world, id, things }) => {
      const source = things.source as BufferThing;
      const { type, device, contents } = source;
      bufferOf(world, id, { type, device, contents, made: 'BUF-BIT-004' });
      return [
        cast(source, id),
        {
          call: 'PJRT_Buffer_IsDeleted',
          with: { buffer: `$${source.id}` },
          as: { [`${id}_taken`]: 'is_deleted' },
        },
        { expect: { actual: `$${id}_taken`, equals: true, level: 'should' }, breaks: ['BUF-BIT-002'] },
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
    needs: {
      buffer: (thing) => thing.kind === 'buffer' && !['awaited', 'gone'].includes(thing.state) && isFree(thing),
    },
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

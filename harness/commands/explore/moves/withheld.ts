/** Contents that the session withholds, and gives in its own time. */
import type { RawStep } from '../../../suite/raw.ts';
import type { Random } from '../../fuzz/random.ts';
import type { Move } from '../move.ts';
import { TYPES, VECTOR } from '../programs.ts';
import { asData, bufferOf, contentsOf, elements, LENGTHS, rankTaken, refusing } from '../things.ts';
import {
  type ArrayType,
  type BufferThing,
  ERROR,
  endOf,
  type Gate,
  isFree,
  isUsable,
  lossOf,
  type ManagerThing,
  type Thing,
  union,
  type World,
} from '../world.ts';
import { freshData, home, inItsMemory } from './transfers.ts';

const VIAS = ['manager', 'manager', 'alias', 'dependency'];
/** What each way is about: making it, giving it, failing it. */
const ABOUT: Readonly<Record<string, Readonly<Record<'make' | 'give' | 'fail', string>>>> = {
  manager: { make: 'H2D-CRE-001', give: 'H2D-TRD-001', fail: 'H2D-ERR-001' },
  managed: { make: 'H2D-CRE-001', give: 'H2D-TRD-001', fail: 'H2D-ERR-001' },
  alias: { make: 'BUF-ALI-001', give: 'BUF-ALI-002', fail: 'BUF-ALI-003' },
  dependency: { make: 'BUF-DWC-001', give: 'BUF-DWC-003', fail: 'BUF-DWC-002' },
  created: { make: 'EVT-CRE-001', give: 'EVT-SET-001', fail: 'EVT-SET-002' },
};

const MOST_PIECES = 4;
/** Least elements of an array that comes in pieces. */
const PIECED = 4;
/** Buffers of one transfer manager. */
const MOST_BUFFERS = 4;

const piecesOf = (random: Random, type: ArrayType): number =>
  elements(type) >= PIECED ? random.between(1, MOST_PIECES) : 1;
const isOpenGate = (thing: Thing): boolean => thing.kind === 'gate' && thing.state === 'open';
const isManager = (thing: Thing): thing is ManagerThing => thing.kind === 'manager' && thing.state === 'live';
const anyType = (random: Random): ArrayType => (random.once(2) ? VECTOR : random.pick(TYPES));

const MANAGER = 'PJRT_AsyncHostToDeviceTransferManager';

export const WITHHELD: Readonly<Record<string, Move>> = {
  withhold: {
    weight: 6,
    draw: (random, _, world) => {
      const via = random.pick(VIAS);
      const type = anyType(random);
      const pieces = via === 'manager' ? piecesOf(random, type) : 1;
      return { via, type, pieces, device: random.below(world.devices), seed: random.below(1e6) };
    },
    distinguishes: ['via', 'pieces'],
    play: ({ world, id, settings }) => {
      const { via, pieces, device, seed } = settings as { via: string; pieces: number; device: number; seed: number };
      const type = settings.type as ArrayType;
      const missing = Array.from({ length: pieces }, (_, i) => i);
      const gate: Gate = { kind: 'gate', id: `${id}_gate`, state: 'open', via, missing };
      world.things.set(gate.id, gate);
      bufferOf(world, id, { type, device, contents: contentsOf(id), waits: [gate] });
      const source = via === 'dependency' ? { [`${id}_source`]: 'source' } : {};
      return [
        ...rankTaken(id, type),
        asData(world, contentsOf(id), freshData(type, seed)),
        {
          pending: via,
          as: { [id]: 'buffer', [gate.id]: 'completion', ...source },
          contents: `$${contentsOf(id)}`,
          ...(pieces > 1 ? { pieces } : {}),
          ...(device === 0 ? {} : { on: `$devices[${device}]` }),
          breaks: [refusing(type, ABOUT[via]!.make)],
        },
        ...(via === 'dependency' ? taken(`${id}_source`) : []),
      ];
    },
  },
  // One that waits in the second memory of its device.
  'withhold-in-memory': {
    weight: 1,
    draw: (random, _, world) => ({
      type: anyType(random),
      device: random.below(world.devices),
      seed: random.below(1e6),
    }),
    play: ({ world, id, settings }) => {
      const { device, seed } = settings as { device: number; seed: number };
      const type = settings.type as ArrayType;
      const gate: Gate = { kind: 'gate', id: `${id}_gate`, state: 'open', via: 'manager', missing: [0] };
      world.things.set(gate.id, gate);
      const buffer = bufferOf(world, id, { type, device, memory: 1, contents: contentsOf(id), waits: [gate] });
      return [
        ...home(world, device),
        ...rankTaken(id, type),
        asData(world, contentsOf(id), freshData(type, seed)),
        {
          pending: 'manager',
          as: { [id]: 'buffer', [gate.id]: 'completion' },
          contents: `$${contentsOf(id)}`,
          on: `$home${device}[1]`,
          breaks: [refusing(type, ABOUT.manager!.make)],
        },
        ...inItsMemory(buffer, ABOUT.manager!.make),
      ];
    },
  },
  // One that is made of another, which may be pending itself.
  'make-of': {
    weight: 2,
    needs: {
      source: (thing) => isUsable(thing) && isFree(thing) && !thing.borrows && thing.memory === undefined,
    },
    draw: (random) => ({ via: random.pick(['alias', 'dependency']) }),
    distinguishes: ['via'],
    play: ({ world, id, things, settings }) => {
      const { via } = settings as { via: string };
      const source = things.source as BufferThing;
      const { type, device, contents, made, waits } = source;
      const gate: Gate = { kind: 'gate', id: `${id}_gate`, state: 'open', via, missing: [0], of: waits };
      world.things.set(gate.id, gate);
      bufferOf(world, id, { type, device, contents, waits: union(waits, [gate]), ...(made ? { made } : {}) });
      // They may share their memory from now on, and an alias takes it when it is given.
      source.state = 'spent';
      if (via === 'alias') source.lends = true;
      return [
        {
          pending: via,
          as: { [id]: 'buffer', [gate.id]: 'completion' },
          contents: `$${contents}`,
          of: `$${source.id}`,
          ...(device === 0 ? {} : { on: `$devices[${device}]` }),
          breaks: [ABOUT[via]!.make],
        },
      ];
    },
  },
  // Several buffers of one transfer manager, each of a type of its own or all of one, handed out at once or later.
  manager: {
    weight: 2,
    draw: (random, _, world) => {
      const count = random.between(2, MOST_BUFFERS);
      const alike = random.once(2);
      const first = anyType(random);
      const types = Array.from({ length: count }, (_, i) => (alike || i === 0 ? first : anyType(random)));
      return {
        count,
        device: random.below(world.devices),
        seed: random.below(1e6),
        later: random.once(3),
        ...Object.fromEntries(types.map((type, i) => [`type${i}`, type])),
        ...Object.fromEntries(types.map((type, i) => [`pieces${i}`, piecesOf(random, type)])),
      };
    },
    distinguishes: ['count', 'later'],
    play: ({ world, id, settings }) => {
      const { count, device, seed, later } = settings as {
        count: number;
        device: number;
        seed: number;
        later: boolean;
      };
      const parts = Array.from({ length: count }, (_, index) => {
        const type = settings[`type${index}`] as ArrayType;
        const buffer = `${id}_${index}`;
        const contents = contentsOf(buffer);
        const pieces = settings[`pieces${index}`] as number;
        const missing = Array.from({ length: pieces }, (_, i) => i);
        const gate: Gate = {
          ...{ kind: 'gate', id: `${buffer}_gate`, state: 'open', via: 'managed', missing },
          manager: { id, index, contents, pieces },
        };
        world.things.set(gate.id, gate);
        bufferOf(world, buffer, { type, device, contents, waits: [gate], ...(later ? { state: 'awaited' } : {}) });
        return { type, buffer, contents, gate, data: asData(world, contents, freshData(type, seed + index)) };
      });
      world.things.set(id, { kind: 'manager', id, device, state: 'live', gates: parts.map(({ gate }) => gate) });
      const breaks = parts.some(({ type }) => refusing(type, '') !== '') ? ['BUF-RANK-001'] : [ABOUT.managed!.make];
      return [
        ...parts.flatMap(({ buffer, type, data }) => [...rankTaken(buffer, type), data]),
        {
          call: 'PJRT_Device_DefaultMemory',
          with: { device: `$devices[${device}]` },
          as: { [`${id}_home`]: 'memory' },
        },
        {
          call: 'PJRT_Client_CreateBuffersForAsyncHostToDevice',
          with: {
            client: '$client',
            memory: `$${id}_home`,
            shape_specs: parts.map(({ type: { dtype, shape } }) => ({
              struct: 'PJRT_ShapeSpec',
              with: {
                ...(shape.length > 0 ? { dims: [...shape] } : { dims: null, num_dims: 0 }),
                element_type: { dtype },
              },
            })),
          },
          as: { [id]: 'transfer_manager' },
          // Shapes are those of the call.
          overwritten: true,
          breaks,
        },
        ...(later ? [] : parts.map(({ buffer, gate }) => retrieved(buffer, gate))),
      ];
    },
  },
  retrieve: {
    weight: 3,
    needs: {
      manager: isManager,
      buffer: (thing, { manager }) => isAwaited(thing) && thing.waits[0]!.manager!.id === manager!.id,
    },
    play: ({ things }) => retrieve(things.buffer as BufferThing),
  },
  'ask manager': {
    weight: 1,
    needs: { manager: isManager },
    play: ({ things }) => {
      const { id, device, gates } = things.manager as ManagerThing;
      const with_ = { transfer_manager: `$${id}` };
      return [
        {
          call: `${MANAGER}_BufferCount`,
          with: with_,
          expect: { buffer_count: { equals: gates.length } },
          breaks: ['H2D-CNT-001'],
        },
        {
          call: `${MANAGER}_Device`,
          with: with_,
          expect: { device_out: { equals: `$devices[${device}]` } },
          breaks: ['H2D-DEV-001'],
        },
      ];
    },
  },
  // What was given arrives, and what was not ends in an error of the plugin's choice.
  'destroy-manager': {
    weight: 1,
    releases: true,
    needs: { manager: isManager },
    play: ({ world, things }) => {
      const manager = things.manager as ManagerThing;
      manager.state = 'gone';
      const left = manager.gates.filter(({ state }) => state === 'open');
      for (const thing of world.things.values())
        if (isAwaited(thing) && thing.waits[0]!.manager!.id === manager.id) thing.state = 'gone';
      for (const gate of left) Object.assign(gate, { state: 'failed', free: true });
      const abandoned = [...world.things.values()].filter(
        (thing): thing is BufferThing =>
          thing.kind === 'buffer' &&
          thing.state === 'live' &&
          left.some(({ manager: of }) => of && thing.id === `${of.id}_${of.index}`),
      );
      const breaks = ['H2D-DST-002'];
      return [
        { destroy: `$${manager.id}`, breaks },
        ...abandoned.map(({ id, waits }) => ({ await: { buffer: `$${id}`, ...endOf(waits) }, breaks })),
      ];
    },
  },
  event: {
    weight: 2,
    play: ({ world, id }) => {
      const gate: Gate = { kind: 'gate', id: `${id}_gate`, state: 'open', via: 'created', missing: [0] };
      world.things.set(gate.id, gate);
      world.things.set(id, { kind: 'event', id, state: 'live', waits: [gate] });
      return [{ pending: 'created', as: { [id]: 'event', [gate.id]: 'completion' }, breaks: [ABOUT.created!.make] }];
    },
  },
  piece: {
    weight: 4,
    releases: true,
    needs: { gate: (thing) => isOpenGate(thing) && (thing as Gate).missing.length > 1 },
    draw: (random, { gate }) => ({ piece: random.pick((gate as Gate).missing) }),
    play: ({ things, settings }) => {
      const gate = things.gate as Gate;
      // A session that was cut may lack what came before.
      const piece = gate.missing.includes(settings.piece as number) ? (settings.piece as number) : gate.missing[0]!;
      return gave(gate, piece, 'H2D-TRD-004');
    },
  },
  give: {
    weight: 4,
    releases: true,
    needs: { gate: isOpenGate },
    play: ({ things }) => give(things.gate as Gate),
  },
  // A read that begins before there is anything to read.
  'read-early': {
    weight: 3,
    releases: true,
    needs: {
      buffer: (thing) =>
        isUsable(thing) && thing.waits.length === 1 && isOpenGate(thing.waits[0]!) && elements(thing.type) > 0,
    },
    draw: (random) => ({ raw: random.once(2) }),
    mayWaitIn: ['PJRT_Buffer_ToHostBuffer', 'PJRT_Buffer_CopyRawToHost'],
    distinguishes: ['raw'],
    play: ({ things, settings }) => {
      const { id: buffer, contents, waits } = things.buffer as BufferThing;
      const from = settings.raw ? { from: 'raw' } : {};
      const get = { buffer: `$${buffer}`, ...from, equals: `$${contents}`, compare: { zero: 'unsigned' } };
      return [{ get, meanwhile: give(waits[0]!), breaks: [settings.raw ? 'BUF-RAW-001' : 'BUF-D2H-009'] }];
    },
  },
  fail: {
    weight: 1,
    releases: true,
    needs: { gate: isOpenGate },
    draw: (random) => ({ length: random.pick(LENGTHS) }),
    play: ({ world, things, settings }) => fail(world, things.gate as Gate, settings.length as number),
  },
};

/** Whether IsDeleted is true of a source after a donation is not settled: a warning at most. */
const taken = (source: string): RawStep[] => [
  { call: 'PJRT_Buffer_IsDeleted', with: { buffer: `$${source}` }, as: { [`${source}_taken`]: 'is_deleted' } },
  { expect: { actual: `$${source}_taken`, equals: true, level: 'should' }, breaks: [ABOUT.dependency!.make] },
];

const isAwaited = (thing: Thing): thing is BufferThing => thing.kind === 'buffer' && thing.state === 'awaited';

const retrieved = (buffer: string, { manager }: Gate): RawStep => ({
  call: `${MANAGER}_RetrieveBuffer`,
  with: { transfer_manager: `$${manager!.id}`, buffer_index: manager!.index },
  as: { [buffer]: 'buffer_out' },
  breaks: ['H2D-RET-001'],
});

/** Has a buffer handed out by its transfer manager. */
function retrieve(buffer: BufferThing): RawStep[] {
  buffer.state = 'live';
  return [retrieved(buffer.id, buffer.waits[0]!)];
}

/** Has everything handed out that can be. */
export const retrieveAll = ({ things }: World): RawStep[] => [...things.values()].filter(isAwaited).flatMap(retrieve);

/** Gives what is withheld, or what is missing of it. */
export function give(gate: Gate): RawStep[] {
  const breaks = ABOUT[gate.via]!.give;
  if (gate.manager) return [...gate.missing].flatMap((piece) => gave(gate, piece, breaks));
  gate.state = 'complete';
  return [{ complete: `$${gate.id}`, breaks: [breaks] }];
}

/** Gives a piece; with the last one nothing is withheld any more. */
function gave(gate: Gate, piece: number, requirement: string): RawStep[] {
  gate.missing = gate.missing.filter((one) => one !== piece);
  const breaks = [requirement];
  if (!gate.manager) return [{ complete: `$${gate.id}`, piece, breaks }];
  const isLast = gate.missing.length === 0;
  if (isLast) gate.state = 'complete';
  const { id, index, contents, pieces } = gate.manager;
  const sent = `${gate.id}_sent${piece}`;
  const part = pieces > 1 ? { piece, pieces } : undefined;
  return [
    {
      call: `${MANAGER}_TransferData`,
      with: {
        transfer_manager: `$${id}`,
        buffer_index: index,
        data: { deviceBytesOf: `$${contents}`, ...part },
        ...(part ? { offset: { deviceOffsetOf: `$${contents}`, ...part } } : {}),
        is_last_transfer: isLast,
      },
      as: { [sent]: 'done_with_h2d_transfer' },
      ...(part ? { refusable: 'a piece of an array, maybe for its alignment' } : {}),
      breaks,
    },
    { await: { event: `$${sent}` }, breaks },
  ];
}

/** Gives an error instead, with which the buffer ends that was withheld. */
function fail(world: World, gate: Gate, length: number): RawStep[] {
  gate.state = 'failed';
  gate.length = length;
  const breaks = [ABOUT[gate.via]!.fail];
  const message = lossOf(gate);
  const withheld = world.things.get(gate.id.slice(0, -'_gate'.length));
  const ends: RawStep[] =
    withheld?.kind === 'buffer' && withheld.state === 'live' && gate.of === undefined
      ? [{ await: { buffer: `$${withheld.id}`, error: { must: 'any', message } }, breaks }]
      : [];
  if (!gate.manager) return [{ complete: `$${gate.id}`, error: { code: ERROR, message }, breaks }, ...ends];
  const { id, index } = gate.manager;
  return [
    {
      call: `${MANAGER}_SetBufferError`,
      with: { transfer_manager: `$${id}`, buffer_index: index, error_code: { enum: ERROR }, error_message: message },
      overwritten: true,
      breaks,
    },
    ...ends,
  ];
}

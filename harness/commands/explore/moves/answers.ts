/** Getters: what they say of a thing is what the model knows, or what they said before. */
import { type Getter, gettersOf } from '../../../knowledge/abi/index.ts';
import type { RawStep } from '../../../suite/raw.ts';
import type { Move } from '../move.ts';
import { PROGRAMS } from '../programs.ts';
import {
  type Answer,
  type BufferThing,
  type CompiledThing,
  type ExecutableThing,
  isFailed,
  isLive,
  type Thing,
  type World,
} from '../world.ts';

/** An answer that the model knows. */
interface Known {
  expect: object;
  breaks: string;
  /** Binds what is expected. */
  first?: RawStep;
}

/** The kinds are those of memories that the client has. */
const KNOWN_KINDS = {
  first: { call: 'PJRT_Memory_Kind', each: { memory: '$memories' }, as: { kinds: 'kind' } },
  expect: { memory_kinds: { subsetOf: '$kinds' } },
};

const BUFFER: Readonly<Record<string, (buffer: BufferThing) => Known>> = {
  PJRT_Buffer_ElementType: ({ type }) => ({
    expect: { type: { equals: { dtype: type.dtype } } },
    breaks: 'BUF-META-001',
  }),
  PJRT_Buffer_Dimensions: ({ type }) => ({ expect: { dims: { equals: [...type.shape] } }, breaks: 'BUF-META-002' }),
  PJRT_Buffer_UnpaddedDimensions: ({ type }) => ({
    expect: { unpadded_dims: { equals: [...type.shape] } },
    breaks: 'BUF-META-003',
  }),
  PJRT_Buffer_Device: ({ device }) => ({
    expect: { device: { equals: `$devices[${device}]` } },
    breaks: 'BUF-META-008',
  }),
  PJRT_Buffer_IsDeleted: ({ state }) => ({
    expect: { is_deleted: { equals: state === 'deleted' } },
    breaks: 'BUF-DEL-005',
  }),
};

const COMPILED: Readonly<Record<string, (compiled: CompiledThing) => Known>> = {
  PJRT_Executable_NumReplicas: () => ({ expect: { num_replicas: { equals: 1 } }, breaks: 'EXE-NUM-001' }),
  PJRT_Executable_NumPartitions: () => ({ expect: { num_partitions: { equals: 1 } }, breaks: 'EXE-NUM-001' }),
  PJRT_Executable_NumOutputs: ({ program }) => ({
    expect: { num_outputs: { equals: PROGRAMS[program]!.gives.length } },
    breaks: 'EXE-NUM-002',
  }),
  PJRT_Executable_OutputElementTypes: ({ program }) => ({
    expect: { output_types: { equals: PROGRAMS[program]!.gives.map(({ type }) => ({ dtype: type.dtype })) } },
    breaks: 'EXE-OUT-001',
  }),
  PJRT_Executable_OutputDimensions: ({ program }) => ({
    expect: { dims: { equals: PROGRAMS[program]!.gives.map(({ type }) => [...type.shape]) } },
    breaks: 'EXE-OUT-002',
  }),
  PJRT_Executable_OutputMemoryKinds: () => ({ ...KNOWN_KINDS, breaks: 'EXE-OUT-003' }),
  PJRT_Executable_ParameterMemoryKinds: () => ({ ...KNOWN_KINDS, breaks: 'EXE-PAR-001' }),
};

const LOADED: Readonly<Record<string, (executable: ExecutableThing) => Known>> = {
  PJRT_LoadedExecutable_AddressableDevices: ({ device }) => ({
    expect: { addressable_devices: { equals: [`$devices[${device}]`] } },
    breaks: 'LEX-DEV-001',
  }),
  PJRT_LoadedExecutable_IsDeleted: ({ state }) => ({
    expect: { is_deleted: { equals: state === 'deleted' } },
    breaks: 'LEX-DEL-002',
  }),
};

/** Whose answers are asked: the functions, whether a thing may be asked, and what is known of it. */
interface Asked {
  type: string;
  may: (thing: Thing) => boolean;
  known: Readonly<Record<string, (thing: never) => Known>>;
}

/** Kinds of things that have getters. */
const ASKED: Readonly<Record<string, Asked>> = {
  buffer: { type: 'PJRT_Buffer', may: (thing) => isLive(thing) && !isFailed(thing.waits), known: BUFFER },
  executable: {
    type: 'PJRT_LoadedExecutable',
    may: (thing) => thing.kind === 'executable' && thing.state === 'live',
    known: LOADED,
  },
  compiled: {
    type: 'PJRT_Executable',
    may: (thing) => thing.kind === 'compiled' && thing.state === 'live',
    known: COMPILED,
  },
  error: { type: 'PJRT_Error', may: (thing) => thing.kind === 'error' && thing.state === 'live', known: {} },
};

/** Handles that the runner binds, and their getters. */
const GIVEN: Readonly<Record<string, string>> = { client: 'PJRT_Client', device: 'PJRT_Device', memory: 'PJRT_Memory' };

const getterOf = (type: string, name: unknown): Getter => gettersOf(type).find((one) => one.function === name)!;

/** Asks for what was said before, if something was. */
export function again(world: World, getter: Getter, subject: string, thing?: string): RawStep {
  const { function: call, subject: argument, fields } = getter;
  const step = { call, with: { [argument]: `$${subject}` }, stable: true, breaks: [UNCHANGED] };
  if (fields.length === 0) return step;
  const name = `${subject.replaceAll(/\W/g, '')}_${call.replace(/^PJRT_[A-Za-z]+_/, '')}`;
  const before = world.answers.get(name);
  if (before) return repeated(before);
  world.answers.set(name, { name, getter, subject, thing });
  return { ...step, as: Object.fromEntries(fields.map((field) => [`${name}_${field}`, field])) };
}

const UNCHANGED = 'ABI-QRY-001';

/** Asks a getter once more. */
export const repeated = ({ name, getter, subject }: Answer): RawStep => ({
  call: getter.function,
  with: { [getter.subject]: `$${subject}` },
  expect: Object.fromEntries(getter.fields.map((field) => [field, { equals: `$${name}_${field}` }])),
  breaks: [UNCHANGED],
});

/** Whether an earlier answer still holds. */
export function stillHolds(world: World, { thing }: Answer): boolean {
  if (thing === undefined) return true;
  const asked = world.things.get(thing)!;
  return ASKED[asked.kind]!.may(asked);
}

/** Asks a thing what the model knows of it. @param name the function */
export function asked(thing: Thing, name: string): RawStep {
  const { type, known } = ASKED[thing.kind]!;
  const { expect, breaks } = known[name]!(thing as never);
  return { call: name, with: { [getterOf(type, name).subject]: `$${thing.id}` }, expect, breaks: [breaks] };
}

function asking([kind, { type, may, known }]: [string, Asked]): [string, Move] {
  return [
    `ask ${kind}`,
    {
      weight: 2,
      needs: { thing: may },
      draw: (random) => ({ function: random.pick(gettersOf(type)).function }),
      distinguishes: ['function'],
      play: ({ world, things, settings }) => {
        const getter = getterOf(type, settings.function);
        const thing = things.thing!;
        const says = known[getter.function]?.(thing as never);
        if (!says) return [again(world, getter, thing.id, thing.id)];
        return [...(says.first ? [says.first] : []), asked(thing, getter.function)];
      },
    },
  ];
}

function askingGiven([kind, type]: [string, string]): [string, Move] {
  return [
    `ask ${kind}`,
    {
      weight: 1,
      draw: (random, _, world) => ({
        function: random.pick(gettersOf(type)).function,
        ...(kind === 'device' ? { device: random.below(world.devices) } : {}),
      }),
      distinguishes: ['function'],
      play: ({ world, settings }) => {
        const subject = kind === 'device' ? `devices[${settings.device}]` : kind;
        return [again(world, getterOf(type, settings.function), subject)];
      },
    },
  ];
}

export const ANSWERS: Readonly<Record<string, Move>> = Object.fromEntries([
  ...Object.entries(ASKED).map(asking),
  ...Object.entries(GIVEN).map(askingGiven),
]);

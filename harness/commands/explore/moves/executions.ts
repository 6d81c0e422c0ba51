/** Programs: compiled, run, stored and loaded, ended. */
import type { RawStep } from '../../../suite/raw.ts';
import type { Move, Turn } from '../move.ts';
import { onesData, onesName, PROGRAMS } from '../programs.ts';
import { asData, bufferOf } from '../things.ts';
import {
  type ArrayType,
  type BufferThing,
  type CompiledThing,
  type ContextThing,
  type ExecutableThing,
  isFailed,
  isFree,
  isLive,
  isOpen,
  isUsable,
  sameType,
  type Thing,
  union,
  type World,
} from '../world.ts';
import { asked } from './answers.ts';

const isRunnable = (thing: Thing): thing is ExecutableThing => thing.kind === 'executable' && thing.state === 'live';

/** The id of a device, for compile options. */
export function deviceId(world: World, device: number): RawStep[] {
  const name = `device${device}`;
  if (world.data.has(name)) return [];
  world.data.add(name);
  return [
    {
      call: 'PJRT_Device_GetDescription',
      with: { device: `$devices[${device}]` },
      as: { [`${name}_about`]: 'device_description' },
    },
    {
      call: 'PJRT_DeviceDescription_Id',
      with: { device_description: `$${name}_about` },
      as: { [name]: 'id' },
    },
  ];
}

const optionsFor = (device: number): object =>
  device === 0 ? {} : { options: { device_assignment: [`$device${device}`] } };

/** The kind of buffer that is an argument of a program. */
const isArgument =
  (type: ArrayType, donated: boolean) =>
  (thing: Thing, { executable }: Readonly<Record<string, Thing>>): boolean =>
    isLive(thing) &&
    // Whether the call refuses an argument that is in error already, or its outputs are, is the plugin's choice.
    !isFailed(thing.waits) &&
    thing.contents !== undefined &&
    thing.memory === undefined &&
    thing.device === (executable as ExecutableThing).device &&
    sameType(thing.type, type) &&
    // Donating what has external references is a question of its own.
    (!donated || (isFree(thing) && !thing.borrows));

const argumentNames = ['a', 'b', 'c'];

/** That an executable runs as before when it was loaded. */
const LOADED = 'SER-EXE-002';

/** Executables that take the place of each other. */
const REPLACED = 4;
/** Programs that can be run at the same time. */
const MOST_PROGRAMS = 6;
/** Most programs have nothing to run on most of the time, so those that have are preferred. */
const RUNS = 4;

/** Ways in which an execution is made that change nothing of what it gives: the options, and how they begin. */
const MANNERS: Readonly<Record<string, (turn: Turn) => { before?: RawStep[]; options: Record<string, unknown> }>> = {
  // The same one as often as it is there.
  context: ({ world, id }) => {
    const context = [...world.things.values()].find(isContext) ?? contextOf(world, id);
    const before: RawStep[] = [{ call: 'PJRT_ExecuteContext_Create', as: { [context.id]: 'context' } }];
    return { ...(context.id.startsWith(`${id}_`) ? { before } : {}), options: { context: `$${context.id}` } };
  },
  'no custom options': () => ({
    options: { custom_options: { struct: 'PJRT_NamedValue', with: {} }, num_custom_options: 0 },
  }),
  'no tasks': () => ({
    options: { num_tasks: 0, task_ids: { bytes: '00000000' }, incarnation_ids: { bytes: '0000000000000000' } },
  }),
  location: () => ({ options: { call_location: 'train.py:12:3' } }),
};

const isContext = (thing: Thing): thing is ContextThing => thing.kind === 'context' && thing.state === 'live';

function contextOf(world: World, id: string): ContextThing {
  const context: ContextThing = { kind: 'context', id: `${id}_context`, state: 'live' };
  world.things.set(context.id, context);
  return context;
}

/** Runs a program on living buffers, ready or not. */
function running(name: string): Move {
  const { takes, donates } = PROGRAMS[name]!;
  const names = argumentNames.slice(0, takes.length);
  const needs: Move['needs'] = {
    executable: (thing) => isRunnable(thing) && thing.program === name,
    ...Object.fromEntries(
      names.map((argument, i) => [
        argument,
        (thing: Thing, chosen: Readonly<Record<string, Thing>>): boolean =>
          isArgument(takes[i]!, donates.includes(i))(thing, chosen) &&
          // What is donated is no other argument.
          names
            .slice(0, i)
            .every((other, j) => chosen[other] !== thing || !(donates.includes(i) || donates.includes(j))),
      ]),
    ),
  };
  return {
    weight: RUNS,
    needs,
    draw: (random) => ({
      events: random.once(3),
      ...(donates.length > 0 ? { kept: random.below(1 << donates.length) } : {}),
    }),
    distinguishes: donates.length > 0 ? ['kept'] : [],
    play: (turn) => played(turn, names, name),
  };
}

function played(
  { world, id, things, settings }: Turn,
  names: readonly string[],
  program: string,
  options?: Record<string, unknown>,
): RawStep[] {
  const { gives, donates } = PROGRAMS[program]!;
  const args = names.map((name) => things[name] as BufferThing);
  const { device, loaded } = things.executable as ExecutableThing;
  // What a loaded executable did not give, nothing that is computed from it gives either.
  const made = loaded || args.some((arg) => arg.made === LOADED) ? LOADED : 'RUN-BAS-001';
  const waits = union(...args.map((arg) => arg.waits));
  const steps: RawStep[] = [];
  // Inputs that are not to be donated: a bit for each that could be.
  const kept = donates.filter((_, i) => ((settings.kept as number) >> i) & 1);
  const outputs = gives.map(({ type, is }, i) => {
    const data = is(args.map((arg) => arg.contents!));
    for (const reference of references(data)) {
      if (!reference.startsWith('ones_') || world.data.has(reference)) continue;
      steps.push(asData(world, reference, onesData(gives.find((one) => onesName(one.type) === reference)!.type)));
    }
    const contents = typeof data === 'string' ? data.slice(1) : `${id}_${i}_is`;
    if (typeof data !== 'string') steps.push(asData(world, contents, data));
    return bufferOf(world, `${id}_${i}`, { type, device, contents, waits, made });
  });
  const completion = settings.events ? `${id}_done` : undefined;
  steps.push({
    execute: {
      executable: `$${things.executable!.id}`,
      args: args.map((arg) => `$${arg.id}`),
      as: outputs.map((output) => output.id),
      ...(completion ? { completion } : { events: false }),
      ...(kept.length > 0 ? { nonDonatable: kept } : {}),
      ...(options ? { options } : {}),
    },
    breaks: [made],
  });
  if (completion) world.things.set(completion, { kind: 'event', id: completion, state: 'live', waits });
  for (const [i, arg] of args.entries()) {
    arg.readers = union(arg.readers, waits);
    if (donates.includes(i) && !kept.includes(i)) arg.state = 'spent';
  }
  return steps;
}

/** Names that data refers to. */
function references(data: unknown): string[] {
  const { of = [] } = (data as { oracle?: { of?: string[] } }).oracle ?? {};
  return of.map((reference) => reference.slice(1));
}

export const EXECUTIONS: Readonly<Record<string, Move>> = {
  'run-as': {
    weight: 3,
    needs: {
      executable: (thing) =>
        isRunnable(thing) &&
        PROGRAMS[thing.program]!.takes.length === 1 &&
        PROGRAMS[thing.program]!.donates.length === 0,
      a: (thing, chosen) =>
        isArgument(PROGRAMS[(chosen.executable as ExecutableThing).program]!.takes[0]!, false)(thing, chosen),
    },
    draw: (random) => ({ manner: random.pick(Object.keys(MANNERS)), events: random.once(3) }),
    distinguishes: ['manner'],
    play: (turn) => {
      const { before = [], options } = MANNERS[turn.settings.manner as string]!(turn);
      return [...before, ...played(turn, ['a'], (turn.things.executable as ExecutableThing).program, options)];
    },
  },
  'destroy-context': {
    weight: 0.5,
    needs: { context: isContext },
    play: ({ things }) => {
      (things.context as ContextThing).state = 'gone';
      return [{ destroy: `$${things.context!.id}`, breaks: ['RUN-CTX-003'] }];
    },
  },
  compile: {
    weight: 4,
    when: ({ things }) => [...things.values()].filter(isRunnable).length < MOST_PROGRAMS,
    draw: (random, _, world) => ({
      program: random.pick(Object.keys(PROGRAMS)),
      device: random.below(world.devices),
    }),
    distinguishes: ['program'],
    play: ({ world, id, settings }) => {
      const { program, device } = settings as { program: string; device: number };
      world.things.set(id, { kind: 'executable', id, program, device, state: 'live', loaded: false });
      return [
        ...(device === 0 ? [] : deviceId(world, device)),
        { compile: { as: id, program, ...optionsFor(device) }, breaks: ['RUN-BAS-001'] },
      ];
    },
  },
  store: {
    weight: 1,
    needs: { executable: isRunnable },
    play: ({ world, id, things }) => {
      const { id: of, program, device } = things.executable as ExecutableThing;
      world.things.set(id, { kind: 'executable', id, program, device, state: 'live', loaded: true });
      return [
        {
          call: 'PJRT_LoadedExecutable_GetExecutable',
          with: { loaded_executable: `$${of}` },
          as: { [`${id}_from`]: 'executable' },
        },
        {
          call: 'PJRT_Executable_Serialize',
          with: { executable: `$${id}_from` },
          as: { [`${id}_bytes`]: 'serialized_bytes' },
        },
        {
          call: 'PJRT_Executable_DeserializeAndLoad',
          with: { client: '$client', serialized_executable: `$${id}_bytes` },
          as: { [id]: 'loaded_executable' },
          breaks: [LOADED],
        },
      ];
    },
  },
  compiled: {
    weight: 2,
    needs: { executable: isRunnable },
    play: ({ world, id, things }) => {
      const { id: of, program } = things.executable as ExecutableThing;
      world.things.set(id, { kind: 'compiled', id, program, from: of, state: 'live' });
      return [
        {
          call: 'PJRT_LoadedExecutable_GetExecutable',
          with: { loaded_executable: `$${of}` },
          as: { [id]: 'executable' },
          breaks: ['EXE-LIF-001'],
        },
      ];
    },
  },
  'destroy-compiled': {
    weight: 1,
    needs: { compiled: (thing) => thing.kind === 'compiled' && thing.state !== 'gone' },
    play: ({ things }) => {
      (things.compiled as CompiledThing).state = 'gone';
      return [{ destroy: `$${things.compiled!.id}`, breaks: ['EXE-LIF-001'] }];
    },
  },
  'delete-executable': {
    weight: 0.4,
    needs: { executable: isRunnable },
    play: ({ world, things }) => {
      const executable = things.executable as ExecutableThing;
      executable.state = 'deleted';
      leave(world, executable);
      const fields = { executable: `$${executable.id}` };
      return [
        { call: 'PJRT_LoadedExecutable_Delete', with: fields, breaks: ['LEX-DEL-001'] },
        {
          call: 'PJRT_LoadedExecutable_IsDeleted',
          with: fields,
          expect: { is_deleted: { equals: true } },
          breaks: ['LEX-DEL-002'],
        },
      ];
    },
  },
  // Each takes the place of the one before, maybe also its address.
  'replace-executables': {
    weight: 0.3,
    draw: (random) => ({ one: random.pick(Object.keys(PROGRAMS)), other: random.pick(Object.keys(PROGRAMS)) }),
    play: ({ id, settings }) => [
      {
        repeat: REPLACED,
        steps: [
          ...shortLife(`${id}_one`, settings.one as string),
          ...shortLife(`${id}_other`, settings.other as string),
        ],
      },
    ],
  },
  'destroy-executable': {
    weight: 0.4,
    needs: { executable: (thing) => thing.kind === 'executable' && thing.state !== 'gone' },
    play: ({ world, things }) => {
      (things.executable as ExecutableThing).state = 'gone';
      leave(world, things.executable as ExecutableThing);
      return [{ destroy: `$${things.executable!.id}`, breaks: ['LEX-DST-002'] }];
    },
  },
  ...Object.fromEntries(Object.keys(PROGRAMS).map((name) => [`run ${name}`, running(name)])),
};

/** An executable that is made, asked what it is, deleted and destroyed. */
function shortLife(id: string, program: string): RawStep[] {
  const fields = { executable: `$${id}` };
  const is = (deleted: boolean): RawStep => ({
    call: 'PJRT_LoadedExecutable_IsDeleted',
    with: fields,
    expect: { is_deleted: { equals: deleted } },
    breaks: ['LEX-DEL-002'],
  });
  const compiled: CompiledThing = { kind: 'compiled', id: `${id}_from`, program, from: id, state: 'live' };
  const facts = ['NumOutputs', 'OutputElementTypes', 'OutputDimensions'].map((name) => `PJRT_Executable_${name}`);
  return [
    { compile: { as: id, program, executable: compiled.id }, breaks: ['RUN-BAS-001'] },
    ...facts.map((name): RawStep => ({ 'if-offered': [asked(compiled, name)] })),
    { destroy: `$${compiled.id}`, breaks: ['EXE-LIF-001'] },
    is(false),
    { call: 'PJRT_LoadedExecutable_Delete', with: fields, breaks: ['LEX-DEL-001'] },
    is(true),
    { destroy: `$${id}`, breaks: ['LEX-DST-002'] },
  ];
}

/** What an executable was loaded from is left alone. */
function leave(world: World, { id }: ExecutableThing): void {
  for (const thing of world.things.values())
    if (thing.kind === 'compiled' && thing.from === id && thing.state === 'live') thing.state = 'alone';
}

/** Whether it is a program of this name that can be run. */
export const isRunnableOf = (thing: Thing, program: string): boolean => isRunnable(thing) && thing.program === program;
/** Whether a program can be run on what is there; for what must be refused. */
export const runnable = isRunnable;
export const usable = (thing: Thing): boolean => isUsable(thing) && !isOpen((thing as BufferThing).waits);

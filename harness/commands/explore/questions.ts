/** What living things are asked after a move, and all of them at the end. */
import type { RawStep } from '../../suite/raw.ts';
import type { Random } from '../fuzz/random.ts';
import { asked, repeated, stillHolds } from './moves/answers.ts';
import { heardOf, waited } from './moves/events.ts';
import { give, retrieveAll } from './moves/withheld.ts';
import {
  type BufferThing,
  type EventThing,
  type ExecutableThing,
  endOf,
  type Gate,
  isFailed,
  isLive,
  isOpen,
  type ListenerThing,
  type Thing,
  type World,
} from './world.ts';

type Question = () => RawStep;

/** Neither over nor certainly not over: an error may come before what else is waited for. */
const isUnclear = (waits: readonly Gate[]): boolean => isOpen(waits) && isFailed(waits);

/** What every plugin answers: other getters are moves, which a plugin may not take. */
const OF_BUFFERS = ['ElementType', 'Dimensions', 'Device', 'IsDeleted'].map((name) => `PJRT_Buffer_${name}`);
const OF_EXECUTABLES = ['IsDeleted', 'AddressableDevices'].map((name) => `PJRT_LoadedExecutable_${name}`);

function aboutBuffer(buffer: BufferThing): Question[] {
  if (buffer.state === 'deleted') return [() => asked(buffer, 'PJRT_Buffer_IsDeleted')];
  if (buffer.state !== 'live') return [];
  return [...OF_BUFFERS.map((name) => () => asked(buffer, name)), ...contentsOf(buffer)];
}

/** What a buffer holds, and the memory that it was lent. */
function contentsOf({ id, state, waits, contents, host, made }: BufferThing): Question[] {
  if (state !== 'live') return [];
  const ask: Question[] = [];
  if (host !== undefined)
    ask.push(() => ({ expect: { actual: `$${host}`, unchanged: true }, breaks: ['BUF-HOST-018'] }));
  if (isOpen(waits) || contents === undefined) return ask;
  if (isFailed(waits)) {
    return [...ask, () => ({ get: { buffer: `$${id}`, ...endOf(waits) }, breaks: ['BUF-D2H-010'] })];
  }
  return [
    ...ask,
    () => ({
      get: { buffer: `$${id}`, equals: `$${contents}`, compare: { zero: 'unsigned' } },
      breaks: [made ?? 'BUF-D2H-004'],
    }),
  ];
}

function aboutEvent(event: EventThing): Question[] {
  if (event.state !== 'live' || event.open || isUnclear(event.waits) || !isOpen(event.waits)) return [];
  return [
    () => ({
      call: 'PJRT_Event_IsReady',
      with: { event: `$${event.id}` },
      expect: { is_ready: { equals: false } },
      breaks: ['EVT-RDY-001'],
    }),
  ];
}

const aboutListener = (listener: ListenerThing): Question[] =>
  listener.state !== 'live' || listener.open || isUnclear(listener.waits) ? [] : [() => heardOf(listener)];

function aboutExecutable(executable: ExecutableThing): Question[] {
  if (executable.state === 'gone') return [];
  const functions = executable.state === 'deleted' ? OF_EXECUTABLES.slice(0, 1) : OF_EXECUTABLES;
  return functions.map((name) => () => asked(executable, name));
}

/** What is true of the client all the time. */
const ABOUT_CLIENT: readonly Question[] = [
  () => ({
    call: 'PJRT_Client_AddressableDevices',
    with: { client: '$client' },
    expect: { addressable_devices: { equals: '$devices' } },
    breaks: ['CLI-DEV-001'],
  }),
  () => ({
    call: 'PJRT_Client_PlatformName',
    with: { client: '$client' },
    stable: true,
    breaks: ['CLI-NAM-001'],
  }),
];

function about(thing: Thing): Question[] {
  switch (thing.kind) {
    case 'buffer':
      return aboutBuffer(thing);
    case 'event':
      return aboutEvent(thing);
    case 'listener':
      return aboutListener(thing);
    case 'executable':
      return aboutExecutable(thing);
    case 'compiled':
    case 'spread':
    case 'context':
    case 'error':
    case 'manager':
    case 'gate':
      return [];
  }
}

/** What waits for something that is withheld is not ready. */
function stillWaiting(world: World, thing: Thing): RawStep[][] {
  if (thing.kind === 'event') return [aboutEvent(thing).map((question) => question())];
  if (!isLive(thing) || !isOpen(thing.waits) || isUnclear(thing.waits)) return [];
  const event = `still${world.asked++}`;
  return [
    [
      {
        call: 'PJRT_Buffer_ReadyEvent',
        with: { buffer: `$${thing.id}` },
        as: { [event]: 'event' },
        breaks: ['BUF-RDY-001'],
      },
      {
        call: 'PJRT_Event_IsReady',
        with: { event: `$${event}` },
        expect: { is_ready: { equals: false } },
        breaks: ['BUF-RDY-001'],
      },
    ],
  ];
}

/** Whether what waits still does, of so many at most. */
export const askWaiting = (world: World, random: Random, most: number): RawStep[] =>
  random
    .shuffled([...world.things.values()].flatMap((thing) => stillWaiting(world, thing)))
    .filter((steps) => steps.length > 0)
    .slice(0, most)
    .flat();

/** A few questions to living things. */
export function ask(world: World, random: Random, most: number): RawStep[] {
  const questions = [...ABOUT_CLIENT, ...[...world.things.values()].flatMap(about)];
  return Array.from({ length: random.below(most + 1) }, () => random.pick(questions)());
}

/** Everything that is withheld is given; then all ends are waited for, and all contents are read. */
export function close(world: World): RawStep[] {
  const things = [...world.things.values()];
  const given = things.flatMap((thing) => (thing.kind === 'gate' && thing.state === 'open' ? give(thing) : []));
  const said = [...world.answers.values()].filter((answer) => stillHolds(world, answer));
  return [...given, ...retrieveAll(world), ...things.flatMap(ended), ...said.map(repeated)];
}

function ended(thing: Thing): RawStep[] {
  switch (thing.kind) {
    case 'event':
      return thing.state === 'live' && !thing.open && !isOpen(thing.waits) ? waited(thing) : [];
    case 'listener':
      return aboutListener(thing).map((question) => question());
    case 'buffer':
      return contentsOf(thing).map((question) => question());
    default:
      return [];
  }
}

/** The model of a session: what there is, and what each of it must be. Pure. */
import type { Getter } from '../../knowledge/abi/index.ts';

/** Element type and dimensions. */
export interface ArrayType {
  dtype: string;
  shape: readonly number[];
}

/** Contents that come later, or an error instead: what waits for them is not ready before. */
export interface Gate {
  kind: 'gate';
  id: string;
  state: 'open' | 'complete' | 'failed';
  /** The way in which they are withheld. */
  via: string;
  /** Numbers of the pieces that have not come. */
  missing: number[];
  /** The transfer manager through which they come, which of its buffers waits, and in how many pieces they come. */
  manager?: { id: string; index: number; contents: string; pieces: number };
  /** What the buffer waits for of which the one is made that waits for this. */
  of?: readonly Gate[];
  /** What failed it chose the code of the error, and what it says. */
  free?: true;
  /** Bytes of the message of its error; default: what there is to say. */
  length?: number;
}

/** A PJRT_AsyncHostToDeviceTransferManager of several buffers. */
export interface ManagerThing {
  kind: 'manager';
  id: string;
  device: number;
  state: 'live' | 'gone';
  gates: readonly Gate[];
}

/** A PJRT_Buffer. */
export interface BufferThing {
  kind: 'buffer';
  id: string;
  type: ArrayType;
  /** The data that it holds, by the name under which the session binds it; none: nobody knows. */
  contents: string | undefined;
  /** What is violated if its contents are others: that of the execution whose output it is. None: that of reading. */
  made?: string;
  /** Index of the device. */
  device: number;
  /** Index of the memory among those of the first device; none: the default memory of the device. */
  memory: number | undefined;
  /** `awaited`: its transfer manager has not handed it out. `spent`: donated, so that nothing is known but that it can be destroyed. */
  state: 'awaited' | 'live' | 'deleted' | 'spent' | 'gone';
  /** What its contents wait for. */
  waits: readonly Gate[];
  /** What the executions and copies wait for that read it. */
  readers: readonly Gate[];
  /** External references that the session holds. */
  references: number;
  /** A view uses its memory, so the last reference stays. */
  lends?: true;
  /** It is such a view: nothing may take over its memory. */
  borrows?: true;
  /** The name of the address that it is a view of. */
  address?: string;
  /** Its memory was lent by the harness, which must find it unchanged. */
  host: string | undefined;
}

/** A PJRT_Event: of a buffer, a transfer or an execution. */
export interface EventThing {
  kind: 'event';
  id: string;
  state: 'live' | 'gone';
  waits: readonly Gate[];
  /** Its buffer was deleted before it was ready: nobody says how it ends. */
  open?: true;
}

/** A PJRT_LoadedExecutable. */
export interface ExecutableThing {
  kind: 'executable';
  id: string;
  program: string;
  device: number;
  state: 'live' | 'deleted' | 'gone';
  /** It was loaded from its serialized form. */
  loaded: boolean;
}

/** A PJRT_LoadedExecutable on the first two devices. */
export interface SpreadThing {
  kind: 'spread';
  id: string;
  program: string;
  state: 'live' | 'gone';
}

/** A PJRT_ExecuteContext. */
export interface ContextThing {
  kind: 'context';
  id: string;
  state: 'live' | 'gone';
}

/** A PJRT_Executable: what a loaded one was loaded from. */
export interface CompiledThing {
  kind: 'compiled';
  id: string;
  program: string;
  /** The id of the loaded executable; once that has ended, nobody says whether this one answers. */
  from: string;
  state: 'live' | 'alone' | 'gone';
}

/** A PJRT_Error that nobody has read or destroyed yet. */
export interface ErrorThing {
  kind: 'error';
  id: string;
  state: 'live' | 'gone';
}

/** A callback on an event. */
export interface ListenerThing {
  kind: 'listener';
  id: string;
  state: 'live' | 'gone';
  waits: readonly Gate[];
  open?: true;
}

export type Thing =
  | BufferThing
  | EventThing
  | ExecutableThing
  | SpreadThing
  | ContextThing
  | CompiledThing
  | ErrorThing
  | ListenerThing
  | ManagerThing
  | Gate;

/** What a getter said. */
export interface Answer {
  /** The name under which the session binds it. */
  name: string;
  getter: Getter;
  /** The name of what was asked, and its id if the session made it. */
  subject: string;
  thing: string | undefined;
}

/** Everything that a session has made, by id, oldest first. */
export interface World {
  devices: number;
  things: Map<string, Thing>;
  /** Data that the session has bound, so that it is bound once. */
  data: Set<string>;
  /** Answers that must stay the same, by name. */
  answers: Map<string, Answer>;
  /** Events that were made to be asked once. */
  asked: number;
}

/** The code of the errors that sessions give. */
export const ERROR = 'DATA_LOSS';

/** What the error says that a gate is given. */
export const lossOf = ({ id, length = 0 }: Gate): string => `what ${id} withheld is lost`.padEnd(length, '.');

export const newWorld = (devices: number): World => ({
  devices,
  things: new Map(),
  data: new Set(),
  answers: new Map(),
  asked: 0,
});

export const isOpen = (waits: readonly Gate[]): boolean => waits.some(({ state }) => state === 'open');
/** Once nothing is open: whether it ended in an error. */
export const isFailed = (waits: readonly Gate[]): boolean => waits.some(({ state }) => state === 'failed');

/** How something must end that waits for gates; of a code that the plugin chose nothing is known. */
export const endOf = (waits: readonly Gate[]): { error?: { must: string; should?: string } } =>
  isFailed(waits)
    ? {
        error: {
          must: 'any',
          ...(waits.some(({ state, free }) => state === 'failed' && free) ? {} : { should: ERROR }),
        },
      }
    : {};

/** What still matters of what several things wait for. */
export const union = (...lists: (readonly Gate[])[]): Gate[] => [
  ...new Set(lists.flat().filter(({ state }) => state !== 'complete')),
];

/** A buffer that can be used. */
export const isLive = (thing: Thing): thing is BufferThing => thing.kind === 'buffer' && thing.state === 'live';
/** One whose memory nobody else needs. */
export const isFree = ({ references, lends }: BufferThing): boolean => references === 0 && !lends;
/** One that is known to have its contents. */
export const isReady = (thing: Thing): thing is BufferThing =>
  isLive(thing) && !isOpen(thing.waits) && !isFailed(thing.waits);
/** One that ended in an error. */
export const isLost = (thing: Thing): thing is BufferThing =>
  isLive(thing) && !isOpen(thing.waits) && isFailed(thing.waits);
/** One whose contents are known, now or later. */
export const isUsable = (thing: Thing): thing is BufferThing =>
  isLive(thing) && !isFailed(thing.waits) && thing.contents !== undefined;

export const sameType = (a: ArrayType, b: ArrayType): boolean =>
  a.dtype === b.dtype && a.shape.join() === b.shape.join();

/** `f32[2,3]`. */
export const typeText = ({ dtype, shape }: ArrayType): string => `${dtype}[${shape.join()}]`;

/** Whether there is nothing to say but that it lives. */
const isStateless = (thing: Thing): thing is CompiledThing | ErrorThing | SpreadThing | ContextThing =>
  ['compiled', 'error', 'spread', 'context'].includes(thing.kind);

/** The state of a thing in one word or two: what coverage keeps apart. */
export function stateOf(thing: Thing): string {
  if (thing.kind === 'gate') {
    const more = isOpen(thing.of ?? []) ? ['withheld'] : [];
    return [thing.missing.length > 1 ? 'pieces' : thing.via, ...more].join(' of ');
  }
  const busy = thing.kind === 'buffer' && isOpen(thing.readers) ? ['busy'] : [];
  if (thing.state !== 'live') return [thing.state, ...busy].join('-');
  if (isStateless(thing)) return thing.kind;
  if (thing.kind === 'manager') return thing.gates.some(({ state }) => state === 'open') ? 'manager' : 'given';
  if (thing.kind === 'executable') return thing.loaded ? 'loaded' : 'compiled';
  const readiness = isOpen(thing.waits) ? 'withheld' : isFailed(thing.waits) ? 'failed' : 'ready';
  if (thing.kind !== 'buffer') return readiness;
  const more = [
    ...busy,
    ...(thing.references > 0 ? ['referenced'] : []),
    ...(thing.host ? ['lent'] : []),
    ...(thing.type.shape.includes(0) ? ['empty'] : []),
  ];
  return [readiness, ...more].join('-');
}

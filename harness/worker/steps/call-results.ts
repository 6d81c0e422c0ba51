import type { Field } from '../../knowledge/abi/index.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import { Buffer as PjrtBuffer } from '../pjrt/buffer.ts';
import type { Call } from '../pjrt/call.ts';
import { Client } from '../pjrt/client.ts';
import { deleterOf } from '../pjrt/deleter.ts';
import { Device, DeviceDescription } from '../pjrt/device.ts';
import { Event } from '../pjrt/event.ts';
import { Executable, LoadedExecutable } from '../pjrt/executable.ts';
import { Handle, type NativeObject } from '../pjrt/handle.ts';
import { Memory } from '../pjrt/memory.ts';
import { readNamedValues } from '../pjrt/named-values.ts';
import { pointersOf, readData, readInt32s, readInt64s, readText, textsOf } from '../pjrt/strings.ts';
import { StructView } from '../pjrt/struct-view.ts';
import { Topology } from '../pjrt/topology.ts';
import type { Room } from './call-arguments.ts';
import type { CaseContext } from './context.ts';
import { argsOf, withCall } from './named-call.ts';

/**
 * An object of a type that has no class of its own, freed by a function of the API or by the deleter that came with it. A
 * deleter is called for NULL too, as frameworks do.
 */
class OwnedObject extends Handle {
  readonly kind: string;
  /** Its functions are called by steps alone. */
  protected readonly field = '';
  readonly #free: () => void;

  constructor(api: PjrtApi, pointer: bigint, kind: string, free: () => void) {
    super(api, pointer);
    this.kind = kind;
    this.#free = free;
  }

  protected release(): void {
    this.#free();
  }
}

/** Takes ownership of everything that a successful call handed to the caller; returns the out-fields that hold handles. */
export function takeHandles(context: CaseContext, call: Call): Map<string, unknown> {
  const taken = new Map<string, unknown>();
  const written = call.layout.fields.filter((f) => f.deleter !== undefined || (f.out && !f.inOut && !f.given));
  for (const field of written.filter(holdsObject)) {
    const pointer = call.word(field.name);
    const destroyer = destroyerOf(context.api, field);
    const free = field.deleter === undefined ? undefined : deleterOf(context.instrument, call, field.name);
    if (free) taken.set(field.name, deletable(context, field, pointer, free));
    else if (pointer === 0n) taken.set(field.name, undefined);
    else if (destroyer)
      taken.set(field.name, context.scope.own(ownedHandle(context.api, field.base, pointer, destroyer)));
    else taken.set(field.name, wrap(context.api, field.base, pointer));
  }
  for (const { name, deleter } of call.layout.fields.filter((f) => !taken.has(f.name))) {
    const free = deleter === undefined ? undefined : deleterOf(context.instrument, call, name);
    if (free && call.word(name) !== 0n) context.scope.defer(free);
  }
  return taken;
}

/** NULL with a deleter is no object, but frameworks pass it to the deleter all the same, and so may a step. */
function deletable({ api, scope }: CaseContext, { base }: Field, pointer: bigint, free: () => void): Handle {
  const object = new OwnedObject(api, pointer, base, free);
  if (pointer === 0n) object.keep();
  else scope.own(object);
  return object;
}

/** A single pointer to what is neither an array nor characters: it stands for an object of the plugin. */
const holdsObject = ({ base, depth, count }: Field): boolean =>
  depth === 1 && count === undefined && base.startsWith('PJRT_');

function destroyerOf(api: PjrtApi, { destroy }: Field): { function: string; argument: string } | undefined {
  return destroy === undefined ? undefined : { function: destroy, argument: argsOf(api, destroy).subject!.name };
}

type Classes<T> = Readonly<Record<string, (api: PjrtApi, pointer: bigint) => T>>;

/** Objects with classes of their own, which the caller owns, or the plugin. */
const OWNED: Classes<Handle> = {
  PJRT_Buffer: (api, pointer) => new PjrtBuffer(api, pointer),
  PJRT_Event: (api, pointer) => new Event(api, pointer),
  PJRT_Client: (api, pointer) => new Client(api, pointer),
  PJRT_Executable: (api, pointer) => new Executable(api, pointer),
  PJRT_LoadedExecutable: (api, pointer) => new LoadedExecutable(api, pointer),
  PJRT_TopologyDescription: (api, pointer) => new Topology(api, pointer, true),
};
const KEPT: Classes<NativeObject> = {
  PJRT_Device: (api, pointer) => new Device(api, pointer),
  PJRT_DeviceDescription: (api, pointer) => new DeviceDescription(api, pointer),
  PJRT_Memory: (api, pointer) => new Memory(api, pointer),
  PJRT_TopologyDescription: (api, pointer) => new Topology(api, pointer, false),
};

function ownedHandle(
  api: PjrtApi,
  type: string,
  pointer: bigint,
  destroyer: { function: string; argument: string },
): Handle {
  const free = (): void =>
    withCall(api, destroyer.function, (call) => {
      call.set({ [destroyer.argument]: pointer });
      call.run();
    });
  return OWNED[type]?.(api, pointer) ?? new OwnedObject(api, pointer, type, free);
}

/** A handle that the plugin keeps. */
const wrap = (api: PjrtApi, type: string, pointer: bigint): unknown =>
  KEPT[type]?.(api, pointer) ?? { kind: type, pointer };

/** Decodes one field of a call that has returned: strings, lists, handles and numbers as suites see them. */
export function readField(
  context: CaseContext,
  call: Call,
  field: Field,
  taken: Map<string, unknown>,
  rooms: readonly Room[],
): unknown {
  if (taken.has(field.name)) return taken.get(field.name);
  const room = rooms.find((r) => r.field === field.name);
  if (room) {
    const bytes = room.block.bytes.slice(0, room.bytes);
    return context.api.abi.integerBytes(field.base) === 4 ? [...new Int32Array(bytes.buffer)] : bytes;
  }
  if (field.depth > 0 && field.count !== undefined) {
    const elements = readElements(context.api, call, field);
    if (elements !== undefined) return elements;
  }
  if (field.type === 'float') return call.float(field.name);
  if (field.type === 'bool') return boolIn(call.byte(field.name));
  if (field.size === 4) return call.int(field.name);
  if (field.type === 'size_t') return call.size(field.name);
  if (field.type === 'int64_t') {
    const value = call.int64(field.name);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (field.size === 8) return call.word(field.name);
  return call.fieldBytes(field.name).slice();
}

/** A byte that is neither 0 nor 1 stays a number, because no C compiler writes it into a bool. */
const boolIn = (byte: number): boolean | number => (byte > 1 ? byte : byte === 1);

/** What a counted pointer leads to; undefined for elements that have no form in suites. */
function readElements(api: PjrtApi, call: Call, field: Field): unknown {
  const { name, base, depth, content } = field;
  if (depth === 2) return base === 'char' ? textsOf(call, name) : pointersOf(call, name).map((p) => wrap(api, base, p));
  if (depth > 2) return undefined;
  const lengths = innerLengths(call, field);
  const count = lengths ? lengths.reduce((a, b) => a + b, 0) : call.count(name);
  const pointer = call.word(name);
  if (base === 'char') return content === 'bytes' ? readData(pointer, count) : readText(pointer, count);
  if (base === 'PJRT_NamedValue') return readNamedValues(api, pointer, count);
  const width = api.abi.integerBytes(base);
  if (width === undefined && base.startsWith('PJRT_')) return readStructs(api, base, pointer, count);
  if (width === undefined) return undefined;
  const numbers = width === 8 ? readInt64s(pointer, count) : readInt32s(pointer, count);
  return lengths ? split(numbers, lengths) : numbers;
}

/** Structs without pointers in them, one after the other, as mappings; undefined for others. */
function readStructs(api: PjrtApi, name: string, pointer: bigint, count: number): unknown {
  const layout = api.pluginAbi.struct(name);
  if (layout.fields.some((field) => field.depth > 0 || field.size > 8)) return undefined;
  const bytes = readData(pointer, count * layout.size);
  return Array.from({ length: count }, (_, i) => {
    const view = new StructView(layout, new DataView(bytes.buffer, bytes.byteOffset), i * layout.size);
    return Object.fromEntries(
      layout.fields.map(({ name: field, size }) => [field, size === 4 ? view.int(field) : view.int64(field)]),
    );
  });
}

/** The lengths of the lists that one array holds one after the other; undefined for an array that is one list. */
function innerLengths(call: Call, { count }: Field): number[] | undefined {
  const counter = call.layout.field(count!);
  return counter.depth === 0 ? undefined : readInt64s(call.word(counter.name), call.count(counter.name));
}

function split(numbers: readonly number[], lengths: readonly number[]): number[][] {
  let at = 0;
  return lengths.map((length) => {
    at += length;
    return numbers.slice(at - length, at);
  });
}

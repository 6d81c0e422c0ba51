/** What the calls of a session need of each other: which of them can be left out, so that the others can still be made. */
import { type Field, holdsObjects, isDestroyer, kindsOf, type StructLayout } from '../abi/index.ts';
import { decodeCompileOptions } from '../programs/compile-options.ts';
import { ProgramError } from '../programs/program.ts';
import { KIND } from './format.ts';
import { givenObjects, wordAt } from './given-structs.ts';
import { namedRecords } from './named-records.ts';
import { type ObjectAt, objectsOf } from './objects-of.ts';
import { type ObservedCall, observed, type ReturnedCall, returned } from './observed-call.ts';
import type { RecordedSession } from './sessions.ts';

/** A call of a session. */
export interface SessionCall {
  /** Place of its beginning in the order of the process. */
  order: number;
  function: string;
  /** The calls that returned what it is given, and those that said which device or memory that is, by their order. */
  needs: readonly number[];
  /** Whether it goes with the objects that it is given: it changes or ends them. */
  follows: boolean;
}

/** All calls of a session, in the order in which they began. @throws TraceError */
export function callsOf({ process, plugin }: Pick<RecordedSession, 'process' | 'plugin'>): SessionCall[] {
  const calls: SessionCall[] = [];
  const open = new Map<number, ObservedCall>();
  const makers = new Makers();
  const facts = new Facts();
  for (const named of namedRecords(process)) {
    const { record } = named;
    if (record.plugin !== plugin) continue;
    if (record.kind === KIND.enter) {
      const call = observed(named);
      if (!call) continue;
      const objects = givenObjects(call);
      const made = makers.of(objects);
      const needs = [...new Set([...made, ...facts.neededBy(call, objects)])];
      const { function: name } = call;
      calls.push({ order: record.order, function: name, needs, follows: follows(call, objects, made) });
      open.set(record.order, call);
      makers.begins(record.order, name, objects, needs);
    } else if (record.kind === KIND.leave) {
      const call = open.get(record.of);
      open.delete(record.of);
      if (!call) continue;
      const left = returned(call, record);
      for (const one of madeBy(left)) makers.learn(one, record.of);
      facts.learn(left);
    }
  }
  return calls;
}

/** Which calls have returned the objects that are at addresses now. */
class Makers {
  readonly #at = new Map<string, { order: number; isOwned: boolean }>();
  /** The calls that made the clients and topologies that a call is about. */
  readonly #keepers = new Map<number, readonly number[]>();

  of = (objects: readonly ObjectAt[]): number[] => [
    ...new Set(objects.flatMap((one) => this.#at.get(keyOf(one))?.order ?? [])),
  ];

  begins(order: number, name: string, objects: readonly ObjectAt[], needs: readonly number[]): void {
    this.#keepers.set(order, [...new Set(needs.flatMap((one) => this.#keepers.get(one) ?? []))]);
    const [subject] = objects;
    if (!isDestroyer(name) || !subject || !KEEPERS.has(subject.type)) return;
    // What lives with it has ended, and its addresses are used again.
    const gone = this.#at.get(keyOf(subject))?.order;
    for (const [key, { order: maker, isOwned }] of this.#at)
      if (!isOwned && this.#keepers.get(maker)!.includes(gone ?? -1)) this.#at.delete(key);
  }

  /** An object that lives with others may be returned again and again: the first call that did so is enough. */
  learn({ isOwned, ...object }: Made, order: number): void {
    const key = keyOf(object);
    if (isOwned || !this.#at.has(key)) this.#at.set(key, { order, isOwned });
    if (isOwned && KEEPERS.has(object.type)) this.#keepers.set(order, [...this.#keepers.get(order)!, order]);
  }
}

/** Which calls have answered by what a plugin's own memories and devices are found: the kind of a memory, the numbers of a device. */
class Facts {
  readonly #answered = new Map<string, number>();

  neededBy({ function: name, before, layout, memory }: ObservedCall, given: readonly ObjectAt[]): number[] {
    const asked = new Set<string>();
    for (const { type, at } of given) {
      if (type === 'PJRT_Memory') asked.add(`PJRT_Memory_Kind ${at}`);
      if (type === 'PJRT_Device') asked.add(ADDRESSABLE);
    }
    const number = LOOKED_UP[name];
    if (number) asked.add(`${number.as} ${numberIn(before, layout, number.field)}`);
    if (name === 'PJRT_Client_Compile')
      for (const id of assigned(memory, before, layout)) asked.add(`${DEVICE_ID} ${id}`);
    return [...asked].flatMap((one) => this.#answered.get(one) ?? []);
  }

  learn(call: ReturnedCall): void {
    const { function: name, after, layout, entered } = call;
    const field = NUMBERS[name];
    if (call.error !== 0n) return;
    if (field !== undefined) this.#first(`${name} ${numberIn(after, layout, field)}`, entered);
    if (name === ADDRESSABLE) this.#first(name, entered);
    const [memory] = givenObjects(call);
    if (name === 'PJRT_Memory_Kind' && memory) this.#first(`${name} ${memory.at}`, entered);
    // Its memories are gone.
    if (name === 'PJRT_Client_Destroy') this.#answered.clear();
  }

  #first(what: string, order: number): void {
    if (!this.#answered.has(what)) this.#answered.set(what, order);
  }
}

const ADDRESSABLE = 'PJRT_Client_AddressableDevices';
const DEVICE_ID = 'PJRT_DeviceDescription_Id';
/** Answers that are numbers of devices, and questions with such numbers. */
const NUMBERS: Readonly<Record<string, string>> = {
  [DEVICE_ID]: 'id',
  PJRT_Device_LocalHardwareId: 'local_hardware_id',
};
const LOOKED_UP: Readonly<Record<string, { field: string; as: string }>> = {
  PJRT_Client_LookupDevice: { field: 'id', as: DEVICE_ID },
  PJRT_Client_LookupAddressableDevice: { field: 'local_hardware_id', as: 'PJRT_Device_LocalHardwareId' },
};

function numberIn(bytes: Uint8Array, layout: StructLayout, field: string): number | undefined {
  const { offset } = layout.field(field);
  return offset + 4 > bytes.length ? undefined : new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset, true);
}

/** Numbers of the devices for which a program is compiled. */
function assigned(memory: ObservedCall['memory'], bytes: Uint8Array, layout: StructLayout): number[] {
  const options = memory(wordAt(bytes, layout.field('compile_options').offset));
  try {
    return options ? (decodeCompileOptions(options).deviceAssignment ?? []).flat() : [];
  } catch (error) {
    if (error instanceof ProgramError) return [];
    throw error;
  }
}

/** Objects with which others live. */
const KEEPERS: ReadonlySet<string> = new Set(['PJRT_Client', 'PJRT_TopologyDescription']);

interface Made extends ObjectAt {
  /** Whether the caller must end it, so that it cannot be one from before. */
  isOwned: boolean;
}

function madeBy(call: ReturnedCall): Made[] {
  if (call.error !== 0n) return [];
  const fields = call.layout.fields.filter((field) => holdsObjects(field) && (field.out || field.unmarked));
  return fields.flatMap((field) =>
    objectsOf(call, field, call.after).map((one) => ({ ...one, isOwned: isOwned(field) })),
  );
}

const isOwned = ({ destroy, deleter }: Field): boolean => (destroy ?? deleter) !== undefined;

/** Calls that only learn something: without them nothing else is different. */
const LEARNS: ReadonlySet<string> = new Set(['PJRT_Event_Await', 'PJRT_Event_OnReady']);

/** Calls that give their caller an event or another name for an object, and fill what they are about. */
const FILLS: ReadonlySet<string> = new Set([
  'PJRT_AsyncHostToDeviceTransferManager_TransferData',
  'PJRT_AsyncHostToDeviceTransferManager_TransferLiteral',
  'PJRT_CopyToDeviceStream_AddChunk',
  'RawBuffer.PJRT_RawBuffer_CreateRawAliasOfBuffer',
  'RawBuffer.PJRT_RawBuffer_CopyRawHostToDevice',
]);

function follows(
  { function: name, layout }: ObservedCall,
  given: readonly ObjectAt[],
  needs: readonly number[],
): boolean {
  // Nothing is known of an object that an error is, or that is from before the recording.
  if (LEARNS.has(name) || (given.length > 0 && needs.length === 0)) return false;
  return FILLS.has(name) || isDestroyer(name) || kindsOf(layout).has('act');
}

const keyOf = ({ type, at }: ObjectAt): string => `${type}@${at.toString(16)}`;

/**
 * A part of a session that can be made without the rest: these calls, those that return what they are given, and those that change or
 * end objects of which nothing is missing. Errors that calls return are not followed.
 * @param calls of the session, in their order
 * @param orders those that are wanted
 * @param until calls from this order on are left out, unless they are wanted
 * @returns orders, ascending
 */
export function closed(calls: readonly SessionCall[], orders: Iterable<number>, until = Infinity): number[] {
  const kept = new Set(orders);
  // What a call needs began before it.
  for (const { order, needs } of calls.toReversed()) if (kept.has(order)) for (const one of needs) kept.add(one);
  for (const { order, needs, follows } of calls)
    if (follows && order < until && needs.every((one) => kept.has(one))) kept.add(order);
  return calls.flatMap(({ order }) => (kept.has(order) ? [order] : []));
}

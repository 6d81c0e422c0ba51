/** What the calls of a session need of each other: which of them can be left out, so that the others can still be made. */
import { type Field, holdsObjects, isDestroyer, kindsOf } from '../abi/index.ts';
import { KIND } from './format.ts';
import { givenObjects } from './given-structs.ts';
import { IdentifyingCalls } from './identifying-calls.ts';
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
  const identifying = new IdentifyingCalls();
  for (const named of namedRecords(process)) {
    const { record } = named;
    if (record.plugin !== plugin) continue;
    if (record.kind === KIND.enter) {
      const call = observed(named);
      if (!call) continue;
      const objects = givenObjects(call);
      const made = makers.of(objects);
      const needs = [...new Set([...made, ...identifying.neededBy(call, objects)])];
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
      identifying.learn(left);
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

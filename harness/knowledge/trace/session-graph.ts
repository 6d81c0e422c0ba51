/** What the calls of a session need of each other: which of them can be left out, so that the others can still be made. */
import { type Field, holdsObjects, isDestroyer, kindsOf } from '../abi/index.ts';
import { KIND } from './format.ts';
import { givenObjects } from './given-structs.ts';
import { namedRecords } from './named-records.ts';
import { type ObjectAt, objectsOf } from './objects-of.ts';
import { type ObservedCall, observed, type ReturnedCall, returned } from './observed-call.ts';
import type { RecordedSession } from './sessions.ts';

/** A call of a session. */
export interface SessionCall {
  /** Place of its beginning in the order of the process. */
  order: number;
  function: string;
  /** The calls that returned what it is given, by their order. */
  needs: readonly number[];
  /** Whether it goes with the objects that it is given: it changes or ends them. */
  follows: boolean;
}

/** All calls of a session, in the order in which they began. @throws TraceError */
export function callsOf({ process, plugin }: Pick<RecordedSession, 'process' | 'plugin'>): SessionCall[] {
  const calls: SessionCall[] = [];
  const open = new Map<number, ObservedCall>();
  const makers = new Makers();
  for (const named of namedRecords(process)) {
    const { record } = named;
    if (record.plugin !== plugin) continue;
    if (record.kind === KIND.enter) {
      const call = observed(named);
      if (!call) continue;
      const objects = givenObjects(call);
      const needs = makers.of(objects);
      const { function: name } = call;
      calls.push({ order: record.order, function: name, needs, follows: follows(call, objects, needs) });
      open.set(record.order, call);
      makers.begins(record.order, name, needs);
    } else if (record.kind === KIND.leave) {
      const call = open.get(record.of);
      open.delete(record.of);
      if (call) for (const one of madeBy(returned(call, record))) makers.learn(one, record.of);
    }
  }
  return calls;
}

/** Which calls have returned the objects that are at addresses now. */
class Makers {
  readonly #at = new Map<string, { order: number; isOwned: boolean }>();
  /** The creations of the clients that a call is about. */
  readonly #clients = new Map<number, readonly number[]>();

  of = (objects: readonly ObjectAt[]): number[] => [
    ...new Set(objects.flatMap((one) => this.#at.get(keyOf(one))?.order ?? [])),
  ];

  begins(order: number, name: string, needs: readonly number[]): void {
    const clients = [...new Set(needs.flatMap((one) => this.#clients.get(one) ?? []))];
    this.#clients.set(order, name === 'PJRT_Client_Create' ? [order] : clients);
    if (name !== 'PJRT_Client_Destroy') return;
    // What lives with a client has ended, and its addresses are used again.
    for (const [key, { order: maker, isOwned }] of this.#at)
      if (!isOwned && this.#clients.get(maker)!.some((one) => clients.includes(one))) this.#at.delete(key);
  }

  /** An object that lives with others may be returned again and again: the first call that did so is enough. */
  learn({ isOwned, ...object }: Made, order: number): void {
    const key = keyOf(object);
    if (isOwned || !this.#at.has(key)) this.#at.set(key, { order, isOwned });
  }
}

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

/** Calls that give their caller an event, and fill what they are about. */
const FILLS: ReadonlySet<string> = new Set([
  'PJRT_AsyncHostToDeviceTransferManager_TransferData',
  'PJRT_AsyncHostToDeviceTransferManager_TransferLiteral',
  'PJRT_CopyToDeviceStream_AddChunk',
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

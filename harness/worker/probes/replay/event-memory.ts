import { digestOf } from '../../../knowledge/trace/digest.ts';
import type { NamedRecord } from '../../../knowledge/trace/named-records.ts';
import type { Trace } from '../../../knowledge/trace/open-trace.ts';
import { type Arena, readBytes } from '../../ffi/memory.ts';
import { SEMANTICS } from '../../pjrt/client.ts';
import type { Made } from './call-maker.ts';
import { isReady, type Replaying } from './replaying.ts';

/** In memory with which a plugin has nothing to do any more. */
export const SPENT = 0xdb;

/** Host memory that a call lends a plugin. */
interface Lent {
  /** The call, by its order in the recording. */
  order: number;
  address: bigint;
  length: number;
  /** Of its bytes. */
  digest: string;
}

interface Held {
  arena: Arena;
  lent: Lent | undefined;
}

/** Memory that a plugin may use until an event is ready, by the recorded address of the event. */
export class EventMemory {
  readonly #replaying: Replaying;
  readonly #held = new Map<bigint, Held>();
  /** Of events whose addresses have been used again. */
  readonly #kept: Held[] = [];

  constructor(replaying: Replaying) {
    this.#replaying = replaying;
  }

  /** @param lent what the plugin may read until then, and not write */
  hold(event: bigint, arena: Arena, lent?: Lent): void {
    const before = this.#held.get(event);
    if (before) this.#kept.push(before);
    this.#held.set(event, { arena, lent });
  }

  /** An event is about to be destroyed: if it is ready, the plugin needs its memory no more. @param isRead whether something here does */
  letGo(event: bigint, isRead: (arena: Arena) => boolean): void {
    const held = this.#held.get(event);
    if (!held || isRead(held.arena) || !isReady(this.#replaying, event)) return;
    this.#held.delete(event);
    this.#demandUnchanged(held);
    held.arena.scrub(SPENT);
    held.arena.release();
  }

  /** All objects are destroyed. */
  end(): void {
    for (const held of [...this.#held.values(), ...this.#kept]) this.#demandUnchanged(held);
  }

  release(): void {
    for (const { arena } of [...this.#held.values(), ...this.#kept]) arena.release();
  }

  #demandUnchanged({ lent }: Held): void {
    if (!lent || digestOf(readBytes(lent.address, lent.length)) === lent.digest) return;
    const message = `call ${lent.order} of the recording: the plugin has written to host memory that it was lent as immutable`;
    const call = 'PJRT_Client_BufferFromHostBuffer';
    this.#replaying.tally.wrong({ type: 'pjrt.Replay', message, call, requirements: ['BUF-HOST-018'] });
  }
}

/** What a plugin may read, and not write, after an upload has returned. */
export function lentBy(
  trace: Trace,
  { record, name }: NamedRecord,
  { from, arguments: here }: Pick<Made, 'from' | 'arguments'>,
): Lent | undefined {
  if (name !== 'PJRT_Client_BufferFromHostBuffer' || !IMMUTABLE.has(from.number('host_buffer_semantics')))
    return undefined;
  const memory = from.memory('data');
  const bytes = memory && trace.bytesOf(memory);
  return bytes && { order: record.of, address: here.word('data'), length: bytes.length, digest: digestOf(bytes) };
}

/** Ways of lending memory that stays as it is. */
const IMMUTABLE: ReadonlySet<number> = new Set([SEMANTICS['until-transfer-completes'], SEMANTICS['zero-copy']]);

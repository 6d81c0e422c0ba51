import type { ObjectAt } from '../../knowledge/trace/objects-of.ts';
import type { ObservedCall } from '../../knowledge/trace/observed-call.ts';

/** A call in the history of an object. */
export type Mention = Pick<ObservedCall, 'function' | 'entered' | 'thread' | 'location' | 'minor'>;

/** Without the bytes of its arguments. */
export const mentionOf = ({ function: name, entered, thread, minor, location }: Mention): Mention => ({
  ...{ function: name, entered, thread, minor },
  ...(location !== undefined && { location }),
});

/** What is known of an object. */
export interface Known extends ObjectAt {
  plugin: number;
  /** The call that returned it; undefined if it was not seen. */
  made: Mention | undefined;
  /** Whether the caller must destroy it. */
  owned: boolean;
  /** The call that destroyed it, and the object that it went with, if it was not destroyed itself. */
  ended?: Mention & { with?: Known };
  /** The client that it was made with, or of; undefined if it has none, or it was not seen. */
  client?: Known;
  /** Objects at least one of which lives when it does. */
  keepers: Set<Known>;
  /** Of an event: whether the caller knows that it is ready. */
  ready: boolean;
  /** Of an event: the call that set it. */
  set?: Mention;
  /** Of a transfer manager: how many buffers it has; undefined if that was not seen. */
  buffers?: number;
  /** Of a transfer manager: which buffers were retrieved, and which were sent to the end. */
  retrieved: Set<number>;
  complete: Set<number>;
  /** Of a buffer: what deleted it. */
  deleted?: Mention;
  /** Of a buffer: external references that were taken and not given back. */
  references: number;
  /** Of a buffer: bytes for a read in its own layout, as the plugin has answered. */
  needed?: bigint;
  /** Of an executable: arguments of an execution that succeeded. */
  arguments?: bigint;
}

/**
 * The objects of a process by type and address. An address has a new object as soon as a call returns it: memory that one call has freed
 * may be what another, on another thread, returns before the first does.
 */
export class Objects {
  readonly #at = new Map<string, Known>();

  of({ type, at }: ObjectAt): Known | undefined {
    return this.#at.get(keyOf(type, at));
  }

  /** All that have not ended. */
  living(): Known[] {
    return [...this.#at.values()].filter(({ ended }) => !ended);
  }

  /** A call has returned an object that the caller owns: there is nothing of an older one at this address. */
  made(object: ObjectAt, by: Mention, plugin: number): Known {
    return this.#put(object, by, plugin, true);
  }

  /** A call has returned an object that lives with others, maybe once more. */
  shown(object: ObjectAt, by: Mention, plugin: number, keeper: Known | undefined): Known {
    const before = this.of(object);
    const known = before && !before.ended ? before : this.#put(object, by, plugin, false);
    if (keeper) known.keepers.add(keeper);
    return known;
  }

  /** An object of which only its use was seen. */
  assumed(object: ObjectAt, plugin: number): Known {
    return this.of(object) ?? this.#put(object, undefined, plugin, false);
  }

  /** An object is destroyed, and with it what has no other keeper. @returns what it takes along */
  ended(known: Known, by: Mention): Known[] {
    known.ended = mentionOf(by);
    // What the plugin keeps for an executable may live with the client: only the end of a client is one for certain.
    if (known.type !== 'PJRT_Client') return [];
    const gone = this.living().filter(
      ({ owned, keepers }) => !owned && keepers.has(known) && [...keepers].every(({ ended }) => ended),
    );
    for (const one of gone) one.ended = { ...mentionOf(by), with: known };
    return gone;
  }

  #put({ type, at }: ObjectAt, made: Mention | undefined, plugin: number, owned: boolean): Known {
    const known: Known = {
      type,
      at,
      plugin,
      made,
      owned,
      keepers: new Set(),
      ready: false,
      retrieved: new Set(),
      complete: new Set(),
      references: 0,
    };
    this.#at.set(keyOf(type, at), known);
    return known;
  }
}

const keyOf = (type: string, at: bigint): string => `${type}@${at.toString(16)}`;

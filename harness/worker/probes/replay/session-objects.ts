/** The objects of a session: what a recorded address means in this process. */
import type { AbsentError, PjrtError } from '../../pjrt/errors.ts';

/** An object of the plugin that is being tested. */
export interface SessionObject {
  type: string;
  pointer: bigint;
  /** The function that destroys it; undefined if it lives with another one. */
  destroyer: string | undefined;
}

/** Why something is missing here that the recording has. */
export interface Lack {
  why: string;
  /** What the plugin does not have, if that is the reason. */
  cause?: PjrtError | AbsentError;
}

/** Why a call cannot be made. */
export class Unresolved extends Error {
  override name = 'Unresolved';
  /** What is missing here; undefined if the recording lacks something. */
  readonly lack: Lack | undefined;

  constructor(message: string, lack?: Lack) {
    super(message);
    this.lack = lack;
  }
}

/** Objects by their type and recorded address, which means the object that was returned there last. */
export class SessionObjects {
  readonly #at = new Map<string, SessionObject>();
  /** Why there is no object where the recording has one. */
  readonly #lost = new Map<string, Lack>();

  bind(address: bigint, object: SessionObject): void {
    const key = keyOf(object.type, address);
    this.#lost.delete(key);
    this.#at.set(key, object);
  }

  /** A call that should have returned an object has not. */
  lose(type: string, address: bigint, lack: Lack): void {
    const key = keyOf(type, address);
    this.#at.delete(key);
    this.#lost.set(key, lack);
  }

  /** The address of an object. @throws Unresolved */
  pointer(type: string, address: bigint): bigint {
    const object = this.#at.get(keyOf(type, address));
    if (object) return object.pointer;
    const lost = this.#lost.get(keyOf(type, address));
    const name = type.replace(/^PJRT_/, '');
    throw new Unresolved(lost?.why ?? `its ${name} is from before the recording`, lost);
  }

  /** The only object of a type; undefined if there is none, or several. */
  only(type: string): bigint | undefined {
    const all = [...this.#at.values()].filter((one) => one.type === type);
    return all.length === 1 ? all[0]!.pointer : undefined;
  }

  has = (type: string, address: bigint): boolean => this.#at.has(keyOf(type, address));

  /** An object is about to be destroyed. */
  forget(type: string, address: bigint): void {
    this.#at.delete(keyOf(type, address));
  }

  /** The session is over. */
  clear = (): void => this.#at.clear();

  /** Owned objects that are left, those that were made last first. */
  left = (): SessionObject[] => [...this.#at.values()].filter(({ destroyer }) => destroyer !== undefined).reverse();
}

const keyOf = (type: string, address: bigint): string => `${type} ${address.toString(16)}`;

import type { Field } from '../abi/index.ts';

/** Names for the objects of a plugin: addresses are used again, so an object is what an address is between its making and its end. */
export class RecordedObjects {
  readonly #names = new Map<string, string>();
  readonly #announced = new Set<string>();
  readonly #counts = new Map<string, number>();

  /** The object at an address: a new one if none is known there. */
  at(type: string, address: bigint): string {
    const key = `${type} ${address}`;
    return this.#names.get(key) ?? this.#named(type, key);
  }

  /** An object that a call gives to its caller, which frees it: it cannot be one from before. */
  made(type: string, address: bigint): string {
    const key = `${type} ${address}`;
    return this.#announced.delete(key) ? this.#names.get(key)! : this.#named(type, key);
  }

  /** An object of which something is said before a call gives it to its caller. */
  announced(type: string, address: bigint): string {
    const key = `${type} ${address}`;
    this.#announced.add(key);
    return this.#named(type, key);
  }

  /** Whether a field gives an object that the caller frees. */
  static makes = ({ out, unmarked, destroy, deleter }: Field): boolean =>
    (out || unmarked === true) && (destroy ?? deleter) !== undefined;

  #named(type: string, key: string): string {
    const number = (this.#counts.get(type) ?? 0) + 1;
    this.#counts.set(type, number);
    const name = `${type.replace(/^PJRT_/, '')}#${number}`;
    this.#names.set(key, name);
    return name;
  }
}

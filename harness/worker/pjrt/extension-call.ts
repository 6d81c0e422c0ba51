import {
  type ExtensionSlot,
  extensionNamed,
  extensionSizeOn,
  extensionStruct,
  isLayoutKnown,
} from '../../knowledge/abi/index.ts';
import { readWord } from '../ffi/memory.ts';
import type { PjrtApi } from './api.ts';
import { Call, type Fill } from './call.ts';
import { AbsentError } from './errors.ts';
import { BASE_BYTES, type ExtensionNode, walkExtensions } from './extensions.ts';

/**
 * An extension that a plugin offers, and the way to call it. A slot counts only if it is inside the struct_size of the
 * plugin's own node: older plugins have shorter ones.
 */
export class PluginExtension {
  readonly api: PjrtApi;
  readonly name: string;
  readonly node: ExtensionNode;
  readonly #slots: ReadonlyMap<string, ExtensionSlot>;
  readonly #calls = new Map<string, Call>();

  private constructor(api: PjrtApi, name: string, node: ExtensionNode) {
    this.api = api;
    this.name = name;
    this.node = node;
    this.#slots = new Map(extensionNamed(name).slots.map((s) => [s.name, s]));
  }

  /**
   * The first extension with this name (`Layouts`) in the chain, which is the one that frameworks find; or why there is none.
   */
  static find(api: PjrtApi, name: string): PluginExtension | string {
    const { type, struct } = extensionNamed(name);
    const node = walkExtensions(api).nodes.find((n) => n.type === type);
    if (!node) return `the plugin has no ${name} extension`;
    if (struct !== undefined && !isLayoutKnown(struct, api.version.minor)) return unlike(api, `the ${name} extension`);
    if (callerSize(api, name) === undefined) return `the ${name} extension is ${younger(api)}`;
    return new PluginExtension(api, name, node);
  }

  /** The word in a slot: a function, a table, 0n for NULL; undefined if the slot is past struct_size. */
  word(slot: string): bigint | undefined {
    const known = this.#slot(slot);
    if (known.offset + known.size > this.node.structSize) return undefined;
    return readWord(this.node.slotsAt + BigInt(known.offset - BASE_BYTES));
  }

  /** Whether a function can be called. */
  has(slot: string): boolean {
    return (this.word(slot) ?? 0n) !== 0n && this.#isKnown(slot);
  }

  /** The argument block of a function, empty. There is one for each function. @throws AbsentError */
  begin(slot: string): Call {
    const call = this.#call(slot);
    call.reset();
    return call;
  }

  /**
   * Fills, runs and reads one call.
   * @throws PjrtError, AbsentError
   */
  invoke<T = void>(slot: string, fill: Fill, read?: (call: Call) => T): T {
    const call = this.begin(slot);
    call.fill(fill);
    try {
      call.run();
      return (read ? read(call) : undefined) as T;
    } finally {
      this.api.instrument.breadcrumb?.idle();
    }
  }

  /** Like `invoke`, on another thread: for calls that may wait for a callback into JavaScript. */
  async invokeAsync(slot: string, fill: Fill): Promise<void> {
    const call = this.begin(slot);
    call.fill(fill);
    await call.runAsync();
  }

  /** Whether the consumer's headers have the slot. */
  #isKnown = (slot: string): boolean => this.#slot(slot).offset < (callerSize(this.api, this.name) ?? 0);

  #slot(name: string): ExtensionSlot {
    const slot = this.#slots.get(name);
    if (!slot) throw new Error(`the ${this.name} extension has no slot ${name}`);
    return slot;
  }

  #call(name: string): Call {
    let call = this.#calls.get(name);
    if (!call) {
      const { args, returns } = this.#slot(name);
      const full = `${this.name}.${name}`;
      const address = this.word(name);
      if (address === undefined) {
        throw new AbsentError(
          full,
          'past struct_size',
          `${name} lies past the struct_size of ${this.node.structSize} of the plugin's ${this.name} extension`,
        );
      }
      if (!this.#isKnown(name)) {
        throw new AbsentError(
          full,
          'not in this version',
          `${name} of the ${this.name} extension is ${younger(this.api)}`,
        );
      }
      if (args !== undefined && !isLayoutKnown(args, this.api.version.minor)) {
        throw new AbsentError(full, 'not in this version', unlike(this.api, args));
      }
      if (address === 0n) throw new AbsentError(full, 'NULL', `${name} of the plugin's ${this.name} extension is NULL`);
      if (args === undefined) throw new Error(`${full} is no function with an argument struct`);
      const { instrument, takeError, structs } = this.api;
      call = new Call(full, extensionStruct(args), address, instrument, {
        takeError: returns === 'void' ? undefined : takeError,
        structs,
      });
      this.#calls.set(name, call);
    }
    return call;
  }
}

/**
 * Size of an extension in the headers of the simulated consumer; undefined if they lack it. Extensions have no versions of
 * their own, so a consumer of an older API has the headers of the day on which that version ended.
 */
function callerSize({ abi, caller }: PjrtApi, name: string): number | undefined {
  return caller.minor === undefined ? Number.POSITIVE_INFINITY : extensionSizeOn(name, abi.lastDate);
}

const younger = ({ abi }: PjrtApi): string => `younger than API 0.${abi.minor}, as which the harness acts`;

const unlike = ({ version }: PjrtApi, what: string): string =>
  `${what} had another layout in the headers of API 0.${version.minor} than in those known here`;

import { Abi } from '../../knowledge/abi/index.ts';
import type { ObservedCall, ReturnedCall } from '../../knowledge/trace/observed-call.ts';

const MINOR = 100;
/** Of the plugin. */
export const abi = Abi.at(MINOR);

type Words = readonly (bigint | Words)[];
type Fields = Readonly<Record<string, bigint | Words>>;
/** A call: what it is given, and gives. */
export interface How {
  given?: Fields;
  gives?: Fields;
  error?: bigint;
  code?: number;
  /** Inputs that the call changes. */
  spoils?: Fields;
  plugin?: number;
  structSize?: number;
}

/** Who judges calls. */
interface Judge {
  entered(call: ObservedCall): void;
  left(call: ReturnedCall): void;
  calledBack(call: ObservedCall, error: bigint): void;
  end(whole: boolean): { mistakes: readonly { rule: string }[] };
}

/** A process, whose calls are judged as they are made. */
export class Session<J extends Judge> {
  readonly #judge: J;
  readonly #lists = new Map<bigint, Uint8Array>();
  readonly #addresses = new Map<Words, bigint>();
  #order = 0;

  constructor(judge: J) {
    this.#judge = judge;
  }

  enter(
    name: string,
    { given = {}, gives = {}, spoils = {}, error = 0n, code, plugin = 0, structSize }: How = {},
  ): ReturnedCall {
    const layout = abi.argsOf(name);
    const bytes = (fields: Fields): Uint8Array => {
      const args = Buffer.alloc(layout.size);
      args.writeBigUInt64LE(BigInt(structSize ?? layout.structSize), 0);
      for (const [field, value] of Object.entries(fields)) {
        const { offset, size } = layout.field(field);
        const word = typeof value === 'bigint' ? value : this.#list(value);
        if (size === 8) args.writeBigUInt64LE(word, offset);
        else if (size === 4) args.writeInt32LE(Number(word), offset);
        else args.writeUInt8(Number(word), offset);
      }
      return args;
    };
    const call: ReturnedCall = {
      ...{ function: name, layout, plugin, minor: MINOR, thread: 1, error, code },
      ...{ entered: ++this.#order, left: 0, before: bytes(given), after: bytes({ ...given, ...gives, ...spoils }) },
      memory: (address) => this.#lists.get(address),
    };
    this.#judge.entered(call);
    return call;
  }

  leave(call: ReturnedCall): void {
    this.#judge.left({ ...call, left: ++this.#order });
  }

  call(name: string, how: How = {}): ReturnedCall {
    const call = this.enter(name, how);
    this.leave(call);
    return call;
  }

  fired(call: ReturnedCall, error = 0n): void {
    this.#judge.calledBack(call, error);
  }

  end(whole = true): ReturnType<J['end']> {
    return this.#judge.end(whole) as ReturnType<J['end']>;
  }

  rules(whole = true): string[] {
    return this.end(whole).mistakes.map(({ rule }) => rule);
  }

  #list(list: Words): bigint {
    const known = this.#addresses.get(list);
    if (known !== undefined) return known;
    const words = list.map((one) => (typeof one === 'bigint' ? one : this.#list(one)));
    const address = 0x7f00_0000_0000n + BigInt(this.#lists.size) * 0x1000n;
    this.#lists.set(address, new Uint8Array(BigUint64Array.from(words).buffer));
    this.#addresses.set(list, address);
    return address;
  }
}

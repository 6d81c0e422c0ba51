import { Abi, extensionFunction, type Field, isExtensionFunction, type StructLayout } from '../abi/index.ts';
import type { Memory, TraceRecord } from './format.ts';
import { TraceError } from './trace-error.ts';

/** Layout of the args struct of a recorded function. @throws TraceError for one that this version of the harness does not know */
export function argumentLayout(name: string, minor: number, record: TraceRecord): StructLayout {
  try {
    return isExtensionFunction(name) ? extensionFunction(name).args() : Abi.at(minor).argsOf(name);
  } catch (error) {
    const reason = `${(error as Error).message}; read the trace with the version that recorded it`;
    throw TraceError.in(record, `${name}: ${reason}`);
  }
}

/** A struct of a recorded call, with the memory that the record has. */
export class RecordedStruct {
  readonly layout: StructLayout;
  readonly #bytes: Buffer;
  readonly #memory: ReadonlyMap<bigint, Memory>;

  constructor(layout: StructLayout, bytes: Buffer, memory: readonly Memory[] | ReadonlyMap<bigint, Memory>) {
    this.layout = layout;
    this.#bytes = bytes;
    this.#memory =
      memory instanceof Map ? memory : new Map((memory as readonly Memory[]).map((one) => [one.address, one]));
  }

  /** All of its bytes. */
  get whole(): Buffer {
    return this.#bytes;
  }

  /** The memory in which an address lies, if it is not its beginning. */
  around = (address: bigint): Memory | undefined =>
    [...this.#memory.values()].find((one) => one.address <= address && address < one.address + BigInt(one.bytes));

  /** Whether the caller's struct has the field. */
  has(name: string): boolean {
    if (!this.layout.has(name)) return false;
    const { offset, size } = this.layout.field(name);
    return offset + size <= this.#bytes.length;
  }

  /** A number or an address; 0 for a field that the caller's struct lacks. */
  word(name: string): bigint {
    if (!this.has(name)) return 0n;
    const { offset, size, type } = this.layout.field(name);
    if (size === 8)
      return type === 'int64_t' ? this.#bytes.readBigInt64LE(offset) : this.#bytes.readBigUInt64LE(offset);
    if (size === 4) return BigInt(this.#bytes.readInt32LE(offset));
    return BigInt(this.#bytes.readUIntLE(offset, Math.min(size, 6)));
  }

  number = (name: string): number => Number(this.word(name));

  float(name: string): number {
    const { offset, size } = this.layout.field(name);
    return size === 4 ? this.#bytes.readFloatLE(offset) : this.#bytes.readDoubleLE(offset);
  }

  /** What a pointer leads to; undefined if the record does not have it. */
  memory = (name: string): Memory | undefined => this.at(this.word(name));

  at = (address: bigint): Memory | undefined => (address === 0n ? undefined : this.#memory.get(address));

  /** Small memory that is in the record itself. */
  bytes(name: string): Buffer | undefined {
    const found = this.memory(name);
    return found?.form === 'inline' ? found.data : undefined;
  }

  text = (name: string): string | undefined => this.bytes(name)?.toString('utf8');

  /** 64-bit words behind a pointer. */
  words(address: bigint): bigint[] {
    const data = this.at(address)?.data;
    return data === undefined ? [] : Array.from({ length: data.length >> 3 }, (_, i) => data.readBigUInt64LE(8 * i));
  }

  /** The struct behind a pointer. */
  struct(name: string, layout: StructLayout): RecordedStruct | undefined {
    const data = this.bytes(name);
    return data && this.within(layout, data);
  }

  /** A struct in other memory of the same record. */
  within = (layout: StructLayout, bytes: Buffer): RecordedStruct => new RecordedStruct(layout, bytes, this.#memory);

  /** The bytes of a field itself. */
  slice = ({ offset, size }: Pick<Field, 'offset' | 'size'>): Buffer => this.#bytes.subarray(offset, offset + size);
}

import { ProgramError } from '../program.ts';

const INT64 = 2n ** 63n;

/** A place in MLIR bytecode. Every read is checked against the end of what it may read. */
export class ByteCursor {
  readonly file: string;
  readonly end: number;
  at: number;
  private readonly data: Uint8Array;

  constructor(data: Uint8Array, file: string, at = 0, end = data.length) {
    this.data = data;
    this.file = file;
    this.at = at;
    this.end = end;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** Throws: the bytes have something other than what was expected. */
  fail(expected: string, at: number = this.at): never {
    throw new ProgramError(`${this.file}: byte ${at}: expected ${expected}; the artifact is damaged`);
  }

  /** Another cursor over the next bytes, which are skipped here. */
  part(length: number, what: string): ByteCursor {
    if (length > this.end - this.at)
      this.fail(`${what} of ${length} bytes, of which only ${this.end - this.at} are there`);
    this.at += length;
    return new ByteCursor(this.data, this.file, this.at - length, this.at);
  }

  /** What is left, as characters. */
  text(): string {
    return Buffer.from(this.data.buffer, this.data.byteOffset + this.at, this.end - this.at).toString('utf8');
  }

  byte(): number {
    if (this.done) this.fail('another byte');
    return this.data[this.at++]!;
  }

  /** An unsigned number; none that is needed here is above 2^53. */
  varint(what = 'a number'): number {
    const start = this.at;
    const value = this.wide();
    if (value > Number.MAX_SAFE_INTEGER) this.fail(`${what} below 2^53`, start);
    return Number(value);
  }

  /** A signed number. */
  svarint(): bigint {
    const value = BigInt(this.wide());
    return BigInt.asIntN(64, value & 1n ? -(value >> 1n) - 1n : value >> 1n);
  }

  /** A number whose lowest bit is a flag. */
  flagged(): [value: number, flag: boolean] {
    const value = this.varint();
    return [Math.floor(value / 2), value % 2 === 1];
  }

  /** A count of things of which each has at least one byte. */
  count(of: string): number {
    const start = this.at;
    const count = this.varint();
    if (count > this.end - this.at) this.fail(`a count of ${of} (${count} are more than the bytes that follow)`, start);
    return count;
  }

  /** An index into a table. */
  index(size: number, of: string): number {
    const start = this.at;
    return checkedIndex(this, this.varint(), size, of, start);
  }

  /** Skips a list of numbers. */
  skipNumbers(of: string): void {
    for (let left = this.count(of); left > 0; left -= 1) this.wide();
  }

  /** A section: its id and its content. */
  section(): { id: number; content: ByteCursor } {
    const start = this.at;
    const head = this.byte();
    const id = head & 0x7f;
    if (id > LAST_SECTION) this.fail(`a section, 0 to ${LAST_SECTION} (found ${id})`, start);
    const length = this.varint('the length of a section');
    if (head & 0x80) this.align();
    return { id, content: this.part(length, `section ${id}`) };
  }

  private align(): void {
    const start = this.at;
    const alignment = this.varint();
    if (alignment < 1 || !Number.isInteger(Math.log2(alignment))) this.fail('an alignment, a power of two', start);
    while (this.at % alignment !== 0) if (this.byte() !== 0xcb) this.fail('a padding byte, CB', this.at - 1);
  }

  /** The trailing zero bits of the first byte are the number of bytes after it. */
  private wide(): number | bigint {
    const first = this.byte();
    if (first & 1) return first >> 1;
    const more = first === 0 ? 8 : 31 - Math.clz32(first & -first);
    if (more > this.end - this.at) this.fail(`a number of ${more + 1} bytes`, this.at - 1);
    if (more > 5) {
      let value = 0n;
      for (let at = more - 1; at >= 0; at -= 1) value = (value << 8n) | BigInt(this.data[this.at + at]!);
      this.at += more;
      return first === 0 ? value : ((value << 8n) | BigInt(first)) >> BigInt(more + 1);
    }
    let value = 0;
    for (let at = more - 1; at >= 0; at -= 1) value = value * 256 + this.data[this.at + at]!;
    this.at += more;
    return Math.floor((value * 256 + first) / 2 ** (more + 1));
  }
}

/** An index that was read at a place. */
export function checkedIndex(cursor: ByteCursor, index: number, size: number, of: string, start: number): number {
  if (index >= size) cursor.fail(`an index of ${of}, below ${size} (found ${index})`, start);
  return index;
}

const LAST_SECTION = 8;

/** The size of a dimension; one that is not known is -2^63. */
export const UNKNOWN_SIZE = -INT64;

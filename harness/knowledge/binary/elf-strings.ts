import { TornFileError } from './byte-source.ts';

/**
 * A string table of an ELF file: zero-terminated strings, which may share suffixes. The total read is limited to a few times
 * the size of the table, because in a damaged file millions of symbols may have one endless name.
 */
export class ElfStrings {
  readonly #bytes: Buffer;
  #budget: number;

  constructor(view: DataView<ArrayBuffer>) {
    this.#bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    this.#budget = 4 * view.byteLength + 65_536;
  }

  /** The string at an offset. @throws TornFileError if there is none, or it is not terminated */
  at(offset: number, what: string): string {
    const end = offset < this.#bytes.length ? this.#bytes.indexOf(0, offset) : -1;
    if (end === -1) {
      throw new TornFileError(`${what}: no string at ${offset} of a string table of ${this.#bytes.length} bytes`);
    }
    this.#budget -= end - offset;
    if (this.#budget < 0) throw new TornFileError(`${what}: the strings of a table overlap excessively`);
    return this.#bytes.toString('latin1', offset, end);
  }
}

import { TornFileError } from './byte-source.ts';

/**
 * A table of zero-terminated strings in an ELF file. Strings may overlap at their ends, as linkers let them; a damaged
 * file, in which millions of symbols have one endless name, is stopped after a few times the size of the table.
 */
export class ElfStrings {
  readonly #bytes: Buffer;
  #budget: number;

  constructor(view: DataView<ArrayBuffer>) {
    this.#bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    this.#budget = 4 * view.byteLength + 65_536;
  }

  /** The string at an offset. @throws TornFileError when there is none, or it does not end */
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

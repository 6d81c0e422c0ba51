import type { StructLayout } from '../../knowledge/abi/index.ts';

/** Values of fields; those without one stay as they are. */
export type Fields = Readonly<Record<string, bigint | number | boolean | undefined>>;

/** Reads and writes the fields of a C struct in place, by name. Pointers and 64-bit integers are bigint. */
export class StructView {
  readonly layout: StructLayout;
  readonly #view: DataView;
  readonly #base: number;
  readonly #bytes: Uint8Array;
  readonly #structSize: bigint;

  constructor(layout: StructLayout, view: DataView, base = 0) {
    this.layout = layout;
    this.#view = view;
    this.#base = base;
    this.#bytes = new Uint8Array(view.buffer, view.byteOffset + base, Math.min(layout.size, view.byteLength - base));
    this.#structSize = BigInt(layout.structSize);
  }

  /** Zeroes the struct and sets its size, as every caller of the C API must. */
  reset(structSize?: number): void {
    this.#bytes.fill(0);
    if (!this.layout.sized) return;
    this.#view.setBigUint64(this.#base, structSize === undefined ? this.#structSize : BigInt(structSize), true);
  }

  /** Sets fields, in the form that their types ask for. */
  set(values: Fields): void {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      const { type, size } = this.layout.field(name);
      if (size === 8) this.setWord(name, BigInt(value));
      else if (size === 1) this.setBool(name, Boolean(value));
      else if (type === 'float') this.setFloat(name, Number(value));
      else if (size === 4) this.setInt(name, Number(value));
      else throw new Error(`${this.layout.name}.${name} is a ${type}, which takes more than a number`);
    }
  }

  /** Any 8-byte field. */
  setWord(field: string, value: bigint): void {
    this.#view.setBigUint64(this.#base + this.layout.field(field).offset, value, true);
  }

  setSize(field: string, value: number): void {
    this.setWord(field, BigInt(value));
  }

  /** Any 4-byte field. */
  setInt(field: string, value: number): void {
    this.#view.setInt32(this.#base + this.layout.field(field).offset, value, true);
  }

  setBool(field: string, value: boolean): void {
    this.#view.setUint8(this.#base + this.layout.field(field).offset, value ? 1 : 0);
  }

  setFloat(field: string, value: number): void {
    this.#view.setFloat32(this.#base + this.layout.field(field).offset, value, true);
  }

  word(field: string): bigint {
    return this.#view.getBigUint64(this.#base + this.layout.field(field).offset, true);
  }

  /** A signed 64-bit field. */
  int64(field: string): bigint {
    return this.#view.getBigInt64(this.#base + this.layout.field(field).offset, true);
  }

  /** A size or count; sizes beyond 2^53 are impossible and are rounded. */
  size(field: string): number {
    return Number(this.word(field));
  }

  /** How many elements a field leads to, as the field says that counts them. */
  count(field: string): number {
    const { count } = this.layout.field(field);
    if (count === undefined || this.layout.field(count).depth > 0) {
      throw new Error(`${this.layout.name} has no single count of ${field}`);
    }
    return this.size(count);
  }

  int(field: string): number {
    return this.#view.getInt32(this.#base + this.layout.field(field).offset, true);
  }

  byte(field: string): number {
    return this.#view.getUint8(this.#base + this.layout.field(field).offset);
  }

  float(field: string): number {
    return this.#view.getFloat32(this.#base + this.layout.field(field).offset, true);
  }

  /** The struct nested at `field`. */
  nested(field: string, layout: StructLayout): StructView {
    return new StructView(layout, this.#view, this.#base + this.layout.field(field).offset);
  }

  fieldBytes(field: string): Uint8Array {
    const { offset, size } = this.layout.field(field);
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#base + offset, size);
  }
}

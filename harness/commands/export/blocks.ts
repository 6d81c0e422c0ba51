/** Memory of the caller as the program has it. */
import { builtinSize } from '../../knowledge/abi/c-type.ts';
import type { Field, StructLayout } from '../../knowledge/abi/index.ts';
import type { BlockLine } from '../../model/call-recording.ts';
import { cArray, cString, cText, isPlainText } from './c-literals.ts';
import type { Draft } from './draft.ts';
import { isNumber, setMembers, structOf, unionMember } from './members.ts';
import { bytesOf, within, wordsOf } from './recorded-bytes.ts';

/** Bytes that stand in the program; more are a file. */
const IN_PROGRAM = 16 * 1024;
/** Blocks beyond this size hold no addresses. */
const FOLLOWED = 64 * 1024;
const PAGE = 4096n;

/** A block as the program knows it. */
interface Placed {
  name: string;
  /** Of what its elements are. */
  type: string;
  size: number;
}

/** What a field says of the block that it leads to. */
type Typed = Pick<Placed, 'name' | 'type'>;

/** The blocks of a recording, by number. */
export class Blocks {
  readonly #draft: Draft;
  readonly #placed = new Map<number, Placed>();
  /** New contents that the next call leads to. */
  #pending = new Map<number, BlockLine>();

  constructor(draft: Draft) {
    this.#draft = draft;
  }

  of(id: number): Placed | undefined {
    return this.#placed.get(id);
  }

  /** A block with these bytes, unless they have addresses, which are others in each process. */
  arrayOf(id: number, bytes: Buffer): Placed | undefined {
    const holdsAddresses = bytes.length <= FOLLOWED && wordsOf(bytes).some((word) => this.#draft.origins.of(word));
    return holdsAddresses ? undefined : this.#placed.get(id);
  }

  /** A block has these contents when the next call is made. */
  add(block: BlockLine): void {
    this.#pending.set(block.id, block);
  }

  /** The next call is not in the program. */
  forget(): void {
    this.#pending.clear();
  }

  /** The plugin has written into blocks: what addresses are there. */
  changed(blocks: Readonly<Record<number, string>>, call: number): void {
    const { origins } = this.#draft;
    for (const [id, bytes] of Object.entries(blocks)) {
      const block = this.#placed.get(Number(id));
      if (!block || block.size > FOLLOWED) continue;
      wordsOf(bytesOf(bytes)).forEach((word, i) => {
        if (!this.#draft.isOwn(word)) origins.answered(word, `word_at(${block.name}, ${i})`, call, true);
      });
    }
  }

  /**
   * Declares the blocks that a call leads to, named after the fields that do, and fills those that are new or have changed.
   * @param number of the call in the program
   */
  declare(layout: StructLayout, args: Buffer, number: number): void {
    const typed = new Map<number, Typed>();
    this.#visit(layout, args, typed);
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    const fresh = pending.filter(({ id, bytes }) => this.#placed.get(id)?.size !== bytesOf(bytes).length);
    for (const block of fresh) {
      const { name, type } = typed.get(block.id) ?? { name: 'memory', type: 'uint8_t' };
      const [at, size] = [BigInt(`0x${block.at}`), bytesOf(block.bytes).length];
      const isAnother = this.#placed.has(block.id) ? 'b' : '';
      const placed = { name: `${name}_${number}${isAnother}_${block.id}`, type, size };
      this.#placed.set(block.id, placed);
      this.#draft.origins.placed(at, size, placed.name);
      const element = structOf(this.#draft, type) ? type : 'void';
      this.#draft.say(`${element} *${placed.name} = room(${size}, ${at % PAGE});`);
    }
    for (const block of pending) this.#fill(this.#placed.get(block.id)!, bytesOf(block.bytes), !fresh.includes(block));
  }

  #pendingAt = (address: bigint): BlockLine | undefined =>
    [...this.#pending.values()].find(({ at, bytes }) => within(address, at, bytes));

  /** Which pending blocks a struct leads to. */
  #visit(struct: StructLayout, bytes: Buffer, typed: Map<number, Typed>): void {
    for (const field of struct.fields) {
      if (field.offset + field.size > bytes.length) continue;
      if (field.union && field !== unionMember(struct, bytes)) continue;
      const nested = field.depth === 0 ? structOf(this.#draft, field.type) : undefined;
      if (nested) this.#visit(nested, bytes.subarray(field.offset, field.offset + field.size), typed);
      if (field.depth === 0 || field.size !== 8) continue;
      const block = this.#pendingAt(bytes.readBigUInt64LE(field.offset));
      if (!block || typed.has(block.id)) continue;
      const type = field.depth > 1 ? 'void*' : field.base === 'void' ? 'uint8_t' : field.base;
      typed.set(block.id, { name: field.name, type });
      const inner = bytesOf(block.bytes);
      const element = structOf(this.#draft, type);
      if (field.depth > 1) this.#visitPointers(inner, field, typed);
      else if (element)
        for (let at = 0; at + element.size <= inner.length; at += element.size)
          this.#visit(element, inner.subarray(at, at + element.size), typed);
    }
  }

  #visitPointers(inner: Buffer, field: Field, typed: Map<number, Typed>): void {
    for (const word of wordsOf(inner)) {
      const block = this.#pendingAt(word);
      if (!block || typed.has(block.id)) continue;
      const type = field.depth > 2 ? 'void*' : builtinSize(field.base) ? field.base : 'uint8_t';
      typed.set(block.id, { name: field.name, type });
    }
  }

  #fill({ name, type, size }: Placed, bytes: Buffer, isAgain: boolean): void {
    const draft = this.#draft;
    if (isAgain) draft.say(`memset(${name}, 0, ${size});`);
    const first = bytes[0] ?? 0;
    if (bytes.every((byte) => byte === first)) {
      if (first !== 0) draft.say(`memset(${name}, 0x${first.toString(16)}, ${size});`);
      return;
    }
    const struct = structOf(draft, type);
    if (struct && size % struct.size === 0) {
      for (let at = 0; at < size; at += struct.size) {
        const element = size === struct.size ? `${name}->` : `${name}[${at / struct.size}].`;
        setMembers(draft, struct, bytes.subarray(at, at + struct.size), element, name);
      }
      return;
    }
    const words = size <= FOLLOWED && size % 8 === 0 ? wordsOf(bytes) : [];
    if (type === 'void*' || (!isNumber(type) && words.some((word) => draft.origins.of(word)))) {
      words.forEach((word, i) => {
        if (word !== 0n) draft.say(`PUT(((void **)${name})[${i}], ${draft.address(word)});`);
      });
      return;
    }
    if (size > IN_PROGRAM) {
      const isText = isPlainText(bytes);
      const file = `data/${name}.${isText ? 'mlir' : 'npy'}`;
      draft.data.set(file, bytes);
      draft.say(`${isText ? 'load_text' : 'load'}(${name}, ${size}, ${cString(file)});`);
      return;
    }
    const text = type === 'char' && bytes.at(-1) === 0 ? bytes.subarray(0, -1) : bytes;
    if (isPlainText(text)) draft.say(`memcpy(${name},\n         ${cText(text, '         ')}, ${size});`);
    else draft.say(`memcpy(${name}, ${cArray(bytes, type)}, ${size});`);
  }
}

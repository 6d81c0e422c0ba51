import { DYNAMIC } from '../signature-types.ts';
import { ByteCursor, checkedIndex, UNKNOWN_SIZE } from './byte-cursor.ts';
import type { Entry, Tables } from './bytecode-tables.ts';
import { TextCursor } from './text-cursor.ts';
import { TypeReader } from './text-types.ts';
import { HEAVIEST, type MlirType, spelled, weightOf } from './types.ts';

const DEEPEST = 100;

/** Types of VHLO without fields, by code. */
const VHLO: Readonly<Record<number, string>> = {
  0: 'i1',
  2: 'bf16',
  3: 'f16',
  4: 'f32',
  5: 'f64',
  6: 'f8E4M3FN',
  7: 'f8E5M2',
  9: 'index',
  10: 'i4',
  11: 'i8',
  12: 'i16',
  13: 'i32',
  14: 'i64',
  15: 'ui4',
  16: 'ui8',
  17: 'ui16',
  18: 'ui32',
  19: 'ui64',
  27: 'f8E4M3FNUZ',
  28: 'f8E5M2FNUZ',
  29: 'f8E4M3B11FNUZ',
  31: 'i2',
  32: 'ui2',
  33: 'none',
  34: 'tf32',
  35: 'f8E4M3',
  36: 'f8E3M4',
  37: 'f4E2M1FN',
  38: 'f6E2M3FN',
  39: 'f6E3M2FN',
  40: 'f8E8M0FNU',
};

/** Types of the builtin dialect without fields, by code. */
const BUILTIN: Readonly<Record<number, string>> = {
  1: 'index',
  3: 'bf16',
  4: 'f16',
  5: 'f32',
  6: 'f64',
  7: 'f80',
  8: 'f128',
  12: 'none',
  21: 'tf32',
  22: 'f8E5M2',
  23: 'f8E4M3',
  24: 'f8E4M3FN',
  25: 'f8E5M2FNUZ',
  26: 'f8E4M3FNUZ',
  27: 'f8E4M3B11FNUZ',
  28: 'f8E3M4',
  29: 'f4E2M1FN',
  30: 'f6E2M3FN',
  31: 'f6E3M2FN',
  32: 'f8E8M0FNU',
};

/** The types of an artifact, each decoded once, where it is needed. */
export class BytecodeTypes {
  private readonly tables: Tables;
  private readonly decoded: (MlirType | 'busy' | undefined)[] = [];
  private depth = 0;

  constructor(tables: Tables) {
    this.tables = tables;
  }

  /** The type whose index comes next. */
  next(cursor: ByteCursor): MlirType {
    const start = cursor.at;
    return this.at(cursor, cursor.varint(), start);
  }

  /** The type with an index that was read at a place. */
  at(cursor: ByteCursor, index: number, start: number): MlirType {
    checkedIndex(cursor, index, this.tables.types.length, 'types', start);
    const known = this.decoded[index];
    if (known === 'busy' || this.depth === DEEPEST) cursor.fail(`types nested at most ${DEEPEST} deep`, start);
    if (known !== undefined) return known;
    this.decoded[index] = 'busy';
    this.depth += 1;
    const type = this.decode(this.tables.types[index]!);
    this.depth -= 1;
    if (weightOf(type) > HEAVIEST) cursor.fail('a type that can be written out', start);
    this.decoded[index] = type;
    return type;
  }

  private decode(entry: Entry): MlirType {
    const { file, bytes } = this.tables;
    const cursor = new ByteCursor(bytes, file, entry.at, entry.end);
    if (!entry.encoded) return fromText(cursor.text().replace(/\0$/, ''), file);
    if (entry.dialect !== 'vhlo' && entry.dialect !== 'builtin') return { kind: 'other', text: `!${entry.dialect}` };
    const start = cursor.at;
    const code = cursor.varint();
    const type = entry.dialect === 'vhlo' ? this.vhlo(code, cursor) : this.builtin(code, cursor);
    if (type === undefined)
      return cursor.fail(`a type of the dialect ${entry.dialect} (code ${code} is not known)`, start);
    if (!cursor.done) cursor.fail('the end of a type');
    return type;
  }

  private vhlo(code: number, cursor: ByteCursor): MlirType | undefined {
    switch (code) {
      case 1:
        return { kind: 'complex', element: this.next(cursor) };
      case 8:
        return { kind: 'function', inputs: this.list(cursor), outputs: this.list(cursor) };
      case 20:
        return this.tensor(cursor);
      case 21:
        return this.bounded(cursor);
      case 22:
        return { kind: 'token' };
      case 23:
        return { kind: 'tuple', types: this.list(cursor) };
      case 24:
      case 30:
        return this.quantized(cursor);
      case 25:
        return { kind: 'unranked', element: this.next(cursor) };
      case 26:
        return { kind: 'other', text: '!shape.witness' };
      case 41:
        return { kind: 'memref', text: spelled(this.tensor(cursor)).replace(/^tensor/, 'memref') };
      case 42:
        return { kind: 'other', text: `!stablehlo.future<${this.list(cursor).map(spelled).join(', ')}>` };
      default:
        return plain(VHLO[code]);
    }
  }

  private builtin(code: number, cursor: ByteCursor): MlirType | undefined {
    switch (code) {
      case 0:
        return integer(cursor.varint());
      case 2:
        return { kind: 'function', inputs: this.list(cursor), outputs: this.list(cursor) };
      case 9:
        return { kind: 'complex', element: this.next(cursor) };
      case 13:
        return this.tensor(cursor);
      case 14:
        return this.bounded(cursor);
      case 15:
        return { kind: 'tuple', types: this.list(cursor) };
      case 18:
        return { kind: 'unranked', element: this.next(cursor) };
      case 19:
        return { kind: 'other', text: spelled(this.tensor(cursor)).replace(/^tensor/, 'vector') };
      default:
        return plain(BUILTIN[code]);
    }
  }

  private list(cursor: ByteCursor): MlirType[] {
    return Array.from({ length: cursor.count('types') }, () => this.next(cursor));
  }

  private tensor(cursor: ByteCursor, encoding?: string): MlirType {
    const shape = Array.from({ length: cursor.count('sizes') }, () => {
      const start = cursor.at;
      const size = cursor.svarint();
      if (size === UNKNOWN_SIZE) return DYNAMIC;
      if (size < 0n || size > Number.MAX_SAFE_INTEGER) cursor.fail(`a size below 2^53 (found ${size})`, start);
      return Number(size);
    });
    const element = this.next(cursor);
    return { kind: 'tensor', shape, element, ...(encoding === undefined ? {} : { encoding }) };
  }

  /** Bounds of sizes that are not known, which is what an encoding is in StableHLO. */
  private bounded(cursor: ByteCursor): MlirType {
    const { attributes, bytes, file } = this.tables;
    const { at, end } = attributes[cursor.index(attributes.length, 'attributes')]!;
    const encoding = new ByteCursor(bytes, file, at, end);
    const known = encoding.varint() === TYPE_EXTENSIONS;
    const bounds = known ? Array.from({ length: encoding.count('bounds') }, () => encoding.svarint()) : [];
    const text = bounds.map((bound) => (bound === UNKNOWN_SIZE ? '?' : `${bound}`)).join(', ');
    return this.tensor(cursor, known ? `#stablehlo.bounds<${text}>` : '#unknown');
  }

  /** The numbers of the quantization follow; they are no part of a signature. */
  private quantized(cursor: ByteCursor): MlirType {
    cursor.varint();
    const text = `!quant.uniform<${spelled(this.next(cursor))}:${spelled(this.next(cursor))}>`;
    cursor.at = cursor.end;
    return { kind: 'quantized', text };
  }
}

const TYPE_EXTENSIONS = 18;
const SIGNS = ['i', 'si', 'ui'];

const plain = (name: string | undefined): MlirType | undefined =>
  name === undefined ? undefined : { kind: 'plain', name };

function integer(word: number): MlirType | undefined {
  const sign = SIGNS[word % 4];
  return sign === undefined ? undefined : { kind: 'plain', name: `${sign}${Math.floor(word / 4)}` };
}

/** What a writer without an encoding for a type left as text. */
function fromText(text: string, file: string): MlirType {
  try {
    return new TypeReader(new TextCursor(text, file), new Map()).read();
  } catch {
    return { kind: 'other', text };
  }
}

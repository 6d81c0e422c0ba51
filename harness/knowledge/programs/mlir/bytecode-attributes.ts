import { ByteCursor } from './byte-cursor.ts';
import { type Entry, stringAt, type Tables } from './bytecode-tables.ts';
import type { BytecodeTypes } from './bytecode-types.ts';
import type { FunctionType } from './types.ts';

/** Codes of attributes, by dialect. */
const CODE = {
  vhlo: { integer: 9, string: 14, type: 17 },
  builtin: { dictionary: 1, string: 2, stringOfType: 3, type: 6, integer: 8 },
} as const;

/** The few kinds of attributes that signatures are in. */
export class BytecodeAttributes {
  private readonly tables: Tables;
  private readonly types: BytecodeTypes;

  constructor(tables: Tables, types: BytecodeTypes) {
    this.tables = tables;
    this.types = types;
  }

  /** The attribute whose index comes next. */
  next(cursor: ByteCursor): Entry {
    const { attributes } = this.tables;
    return attributes[cursor.index(attributes.length, 'attributes')]!;
  }

  /** A dictionary, by names. */
  dictionary(entry: Entry): Map<string, Entry> {
    const { cursor, code } = this.open(entry);
    if (entry.dialect !== 'builtin' || code !== CODE.builtin.dictionary)
      cursor.fail('a dictionary of attributes', entry.at);
    const found = new Map<string, Entry>();
    for (let left = cursor.count('attributes'); left > 0; left -= 1) {
      const name = this.string(this.next(cursor));
      found.set(name, this.next(cursor));
    }
    return found;
  }

  string(entry: Entry): string {
    const { cursor, code } = this.open(entry);
    const { vhlo, builtin } = CODE;
    const codes: readonly number[] = entry.dialect === 'vhlo' ? [vhlo.string] : [builtin.string, builtin.stringOfType];
    if (!codes.includes(code)) cursor.fail('a string attribute', entry.at);
    return stringAt(this.tables, cursor.index(this.tables.strings.length, 'strings'));
  }

  /** A function type in a type attribute. */
  functionType(entry: Entry): FunctionType {
    const { cursor, code } = this.open(entry);
    if (code !== (entry.dialect === 'vhlo' ? CODE.vhlo : CODE.builtin).type) cursor.fail('a type attribute', entry.at);
    const type = this.types.next(cursor);
    return type.kind === 'function' ? type : cursor.fail('a function type', entry.at);
  }

  /** A small integer; undefined for another attribute. */
  integer(entry: Entry): number | undefined {
    const { cursor, code } = this.open(entry);
    if (code !== (entry.dialect === 'vhlo' ? CODE.vhlo : CODE.builtin).integer) return undefined;
    const type = this.types.next(cursor);
    // Narrow integers are stored in another way, and nothing that counts is narrow.
    return type.kind === 'plain' && /^s?i(?:32|64)$/.test(type.name) ? Number(cursor.svarint()) : undefined;
  }

  private open({ at, end, dialect, encoded }: Entry): { cursor: ByteCursor; code: number } {
    const cursor = new ByteCursor(this.tables.bytes, this.tables.file, at, end);
    const known = encoded && (dialect === 'vhlo' || dialect === 'builtin');
    return { cursor, code: known ? cursor.varint() : -1 };
  }
}

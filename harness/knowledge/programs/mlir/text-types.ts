import { DYNAMIC } from '../signature-types.ts';
import type { TextCursor } from './text-cursor.ts';
import { type FunctionType, HEAVIEST, type MlirType, weightOf } from './types.ts';

/** Types that a module names: `!t = tensor<4xf32>`. */
type TypeAliases = ReadonlyMap<string, MlirType>;

const SIZE = /(?:\d+|\?)[ \t\r\n]*x/y;
const UNRANKED = /\*[ \t\r\n]*x/y;
const PLAIN = /^(?:[su]?i[1-9]\d*|index|none|bf16|tf32|f\d+(?:E\d+M\d+\w*)?)$/;
const DEEPEST = 100;

/** Reads types from text. */
export class TypeReader {
  private depth = 0;
  private readonly cursor: TextCursor;
  private readonly aliases: TypeAliases;

  constructor(cursor: TextCursor, aliases: TypeAliases) {
    this.cursor = cursor;
    this.aliases = aliases;
  }

  /** Any type. */
  read(): MlirType {
    if (this.depth === DEEPEST) this.cursor.fail(`types nested at most ${DEEPEST} deep`);
    this.depth += 1;
    const start = this.cursor.pos;
    const type = this.readHere();
    if (weightOf(type) > HEAVIEST) this.cursor.fail('a type that can be written out', start);
    this.depth -= 1;
    return type;
  }

  /** `(types) -> type` or `(types) -> (types)`. */
  function(): FunctionType {
    const inputs = this.list('(', ')');
    this.cursor.expect('->');
    return { kind: 'function', inputs, outputs: this.cursor.at('(') ? this.list('(', ')') : [this.read()] };
  }

  private readHere(): MlirType {
    const { cursor } = this;
    if (cursor.at('(')) return this.function();
    const start = cursor.pos;
    if (cursor.at('!')) return this.ofDialect();
    const word = cursor.word();
    switch (word) {
      case undefined:
        return cursor.fail('a type', start);
      case 'tensor':
        return this.tensor();
      case 'tuple':
        return { kind: 'tuple', types: this.list('<', '>') };
      case 'complex': {
        cursor.expect('<');
        const element = this.read();
        cursor.expect('>');
        return { kind: 'complex', element };
      }
    }
    if (cursor.at('<')) return { kind: word === 'memref' ? word : 'other', text: `${word}${cursor.balanced('<')}` };
    if (!PLAIN.test(word)) cursor.fail('a type, for instance tensor<2x3xf32>', start);
    return { kind: 'plain', name: word };
  }

  private ofDialect(): MlirType {
    const { cursor } = this;
    const start = cursor.pos;
    const name = cursor.alias();
    if (name === undefined) return cursor.fail('the name of a type');
    const named = this.aliases.get(name);
    if (named !== undefined) return named;
    if (!name.includes('.')) cursor.fail(`a type, or an alias that is defined before (${name} is not)`, start);
    const text = `${name}${cursor.at('<') ? cursor.balanced('<') : ''}`;
    if (name === '!stablehlo.token' || name === '!mhlo.token') return { kind: 'token' };
    return { kind: name.startsWith('!quant.') ? 'quantized' : 'other', text };
  }

  private tensor(): MlirType {
    const { cursor } = this;
    cursor.expect('<');
    if (cursor.token(UNRANKED) !== undefined) {
      const element = this.read();
      cursor.expect('>');
      return { kind: 'unranked', element };
    }
    const shape: number[] = [];
    for (let size = this.size(); size !== undefined; size = this.size()) shape.push(size);
    const element = this.read();
    const encoding = cursor.accept(',') ? cursor.until(['>']).trim() : undefined;
    cursor.expect('>');
    return { kind: 'tensor', shape, element, ...(encoding === undefined ? {} : { encoding }) };
  }

  private size(): number | undefined {
    const text = this.cursor.token(SIZE);
    if (text === undefined) return undefined;
    if (text.startsWith('?')) return DYNAMIC;
    const size = Number.parseInt(text, 10);
    if (!Number.isSafeInteger(size)) this.cursor.fail('a size below 2^53', this.cursor.pos - text.length);
    return size;
  }

  private list(open: string, close: string): MlirType[] {
    const { cursor } = this;
    cursor.expect(open);
    const types: MlirType[] = [];
    if (cursor.accept(close)) return types;
    do types.push(this.read());
    while (cursor.accept(','));
    cursor.expect(close, `',' or '${close}'`);
    return types;
  }
}

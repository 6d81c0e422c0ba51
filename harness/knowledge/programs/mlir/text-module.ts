import type { EntryCandidate } from './entry.ts';
import { type AttributeText, attributes } from './text-attributes.ts';
import { TextCursor, unquote } from './text-cursor.ts';
import { TypeReader } from './text-types.ts';
import type { MlirType } from './types.ts';

/** A function and the shardings that the attributes of its parameters and results say. */
interface TextFunction extends EntryCandidate {
  shardings: Record<'inputs' | 'outputs', (string | undefined)[]>;
}

/** What is read of a module: its own attributes, its meshes by name, and the functions directly in it. */
interface ModuleFacts {
  attributes: Map<string, AttributeText>;
  meshes: Map<string, string>;
  functions: TextFunction[];
}

/** Types, and the sharding of each. */
type Part = { types: MlirType[]; shardings: (string | undefined)[] };

const VISIBILITIES: ReadonlySet<string> = new Set(['public', 'private', 'nested']);
const VALUE = /%[\w$.-]+/y;

/** Reads the text of a module, custom or generic, as far as the headers of its functions. */
export class ModuleReader {
  private readonly cursor: TextCursor;
  private readonly aliases = new Map<string, MlirType>();
  private readonly types: TypeReader;
  private readonly facts: ModuleFacts = { attributes: new Map(), meshes: new Map(), functions: [] };

  constructor(text: string, file: string) {
    this.cursor = new TextCursor(text, file);
    this.types = new TypeReader(this.cursor, this.aliases);
  }

  /** Functions at the top level are in a module that the text leaves out. */
  read(): ModuleFacts {
    const { cursor, facts } = this;
    let modules = 0;
    while (!cursor.done) {
      const start = cursor.pos;
      const module = this.moduleHere();
      if (module) modules += 1;
      if (modules > 1) cursor.fail('one module in the file', start);
      if (!module) this.operation();
    }
    if (modules === 0 && facts.functions.length === 0) cursor.fail("StableHLO text: 'module' or 'func.func'", 0);
    return facts;
  }

  private moduleHere(): boolean {
    const { cursor } = this;
    if (cursor.at('"builtin.module"')) {
      this.generic((own) => {
        for (const [name, value] of own) this.facts.attributes.set(name, value);
      });
      return true;
    }
    const word = cursor.peekWord();
    if (word !== 'module' && word !== 'builtin.module') return false;
    cursor.word();
    cursor.symbol();
    if (cursor.peekWord() === 'attributes') {
      cursor.word();
      for (const [name, value] of attributes(cursor)) this.facts.attributes.set(name, value);
    }
    cursor.expect('{');
    this.body();
    return true;
  }

  /** Operations up to the closing brace. */
  private body(): void {
    const { cursor } = this;
    const start = cursor.pos;
    while (!cursor.accept('}')) {
      if (cursor.done) cursor.fail("'}' of the module that begins here", start);
      this.operation();
    }
  }

  /** One operation, or a piece of one that is no function: those are skipped piece by piece. */
  private operation(): void {
    const { cursor } = this;
    const word = cursor.peekWord();
    if (word === 'func.func') this.function();
    else if (word === 'func') cursor.fail("'func.func': 'func' is of MLIR before 2022");
    else if (cursor.at('"func.func"')) this.generic((own, start) => this.genericFunction(own, start));
    else if (cursor.at('!')) this.alias();
    else if (word === 'sdy.mesh') this.mesh();
    else this.piece();
  }

  private mesh(): void {
    const { cursor } = this;
    cursor.word();
    const name = cursor.symbol() ?? cursor.fail("the name of a mesh, '@…'");
    cursor.expect('=');
    this.facts.meshes.set(name, cursor.balanced('<'));
  }

  private piece(): void {
    const { cursor } = this;
    const open = (['{', '(', '[', '<'] as const).find((bracket) => cursor.at(bracket));
    if (open !== undefined) cursor.balanced(open);
    else if (cursor.word() === undefined && cursor.string() === undefined) cursor.pos += 1;
  }

  private alias(): void {
    const { cursor } = this;
    const name = cursor.alias() ?? cursor.fail('the name of a type');
    if (cursor.accept('=')) this.aliases.set(name, this.types.read());
  }

  private function(): void {
    const { cursor } = this;
    cursor.word();
    const visibility = VISIBILITIES.has(cursor.peekWord() ?? '') ? cursor.word() : 'public';
    const name = cursor.symbol() ?? cursor.fail("the name of a function, '@…'");
    const inputs = this.signaturePart('parameter');
    const outputs = !cursor.accept('->')
      ? { types: [], shardings: [] }
      : cursor.at('(')
        ? this.signaturePart('result')
        : { types: [this.types.read()], shardings: [undefined] };
    this.facts.functions.push({
      name,
      public: visibility === 'public',
      type: { kind: 'function', inputs: inputs.types, outputs: outputs.types },
      shardings: { inputs: inputs.shardings, outputs: outputs.shardings },
    });
    if (cursor.peekWord() === 'attributes') {
      cursor.word();
      cursor.balanced('{');
    }
    if (cursor.at('{')) cursor.balanced('{');
  }

  /** Types in parentheses, each with its name (of a parameter), attributes and location, where it has them. */
  private signaturePart(what: 'parameter' | 'result'): Part {
    const { cursor } = this;
    cursor.expect('(', `'(' before the ${what}s`);
    const part: Part = { types: [], shardings: [] };
    if (cursor.accept(')')) return part;
    do {
      if (what === 'parameter' && cursor.token(VALUE) !== undefined) cursor.expect(':');
      part.types.push(this.types.read());
      part.shardings.push(cursor.at('{') ? shardingOf(attributes(cursor)) : undefined);
      if (cursor.peekWord() === 'loc') {
        cursor.word();
        cursor.balanced('(');
      }
    } while (cursor.accept(','));
    cursor.expect(')', `',' or ')' after a ${what}`);
    return part;
  }

  /** `"name"() <{properties}> ({regions}) {attributes} : () -> ()`. Functions are in the region of a module. */
  private generic(found: (own: Map<string, AttributeText>, start: number) => void): void {
    const { cursor } = this;
    const start = cursor.pos;
    const name = cursor.string();
    cursor.expect('(');
    cursor.expect(')');
    const own = new Map<string, AttributeText>();
    if (cursor.accept('<')) {
      for (const [key, value] of attributes(cursor)) own.set(key, value);
      cursor.expect('>');
    }
    cursor.expect('(');
    if (name === 'builtin.module') {
      cursor.expect('{');
      this.body();
    } else cursor.balanced('{');
    cursor.expect(')');
    if (cursor.at('{')) for (const [key, value] of attributes(cursor)) own.set(key, value);
    cursor.expect(':');
    this.types.function();
    found(own, start);
  }

  private genericFunction(own: Map<string, AttributeText>, start: number): void {
    const cursor: TextCursor = this.cursor; // The type is written out because `fail` never returns.
    const name = unquoted(own.get('sym_name')?.text);
    const at = own.get('function_type')?.pos;
    if (name === undefined || at === undefined) cursor.fail('a function with sym_name and function_type', start);
    const visibility = unquoted(own.get('sym_visibility')?.text) ?? 'public';
    const end = cursor.pos;
    cursor.pos = at;
    const type = this.types.function();
    const inputs = this.shardingsIn(own.get('arg_attrs'));
    const outputs = this.shardingsIn(own.get('res_attrs'));
    cursor.pos = end;
    this.facts.functions.push({ name, public: visibility === 'public', type, shardings: { inputs, outputs } });
  }

  /** Those in a list of dictionaries. */
  private shardingsIn(list: AttributeText | undefined): (string | undefined)[] {
    const { cursor } = this;
    if (!list) return [];
    cursor.pos = list.pos;
    const found: (string | undefined)[] = [];
    cursor.expect('[');
    while (cursor.at('{')) {
      found.push(shardingOf(attributes(cursor)));
      cursor.accept(',');
    }
    return found;
  }
}

/** Of a parameter or a result; Shardy's is also a string among the attributes of the frontend. */
function shardingOf(own: ReadonlyMap<string, AttributeText>): string | undefined {
  const frontend = /xla\.sdy\.sharding\s*=\s*("(?:[^"\\]|\\.)*")/.exec(
    own.get('mhlo.frontend_attributes')?.text ?? '',
  )?.[1];
  const text = own.get('sdy.sharding')?.text ?? frontend ?? own.get('mhlo.sharding')?.text;
  return text?.startsWith('"') ? unquote(text) : text;
}

const unquoted = (text: string | undefined): string | undefined => /^"(.*)"$/.exec(text ?? '')?.[1];

import { ByteCursor } from './byte-cursor.ts';
import { BytecodeAttributes } from './bytecode-attributes.ts';
import type { Entry, Tables } from './bytecode-tables.ts';
import { BytecodeTypes } from './bytecode-types.ts';
import type { EntryCandidate } from './entry.ts';
import type { MlirType } from './types.ts';

/** What an operation has, by the bits of its mask. */
const HAS = {
  attributes: 1,
  results: 2,
  operands: 4,
  successors: 8,
  regions: 16,
  useLists: 32,
  properties: 64,
  unknown: 128,
} as const;
/** Format versions of the container from which on something is there. */
const SINCE = { nestedSections: 2, useLists: 3, shortArguments: 4, properties: 5 } as const;
const IR_SECTION = 4;
const DEEPEST = 500;

/** Inherent attributes of a function, in the order of its property record. */
const FUNCTION_PROPERTIES = ['arg_attrs', 'function_type', 'res_attrs', 'sym_name', 'sym_visibility'];
const MODULE = 'builtin.module';
const FUNCTION = 'vhlo.func_v1';

/** What is read of an artifact's operations. */
export interface ArtifactFacts {
  /** Integers among the attributes of the module. */
  attributes: Map<string, number>;
  functions: EntryCandidate[];
  /** Types of all values. */
  values: Set<MlirType>;
}

/** Walks over all operations of an artifact. */
export class ArtifactReader {
  private readonly tables: Tables;
  private readonly types: BytecodeTypes;
  private readonly attributes: BytecodeAttributes;
  private readonly facts: ArtifactFacts = { attributes: new Map(), functions: [], values: new Set() };

  constructor(tables: Tables) {
    this.tables = tables;
    this.types = new BytecodeTypes(tables);
    this.attributes = new BytecodeAttributes(tables, this.types);
  }

  read(): ArtifactFacts {
    const { ir } = this.tables;
    this.block(ir, 0);
    if (!ir.done) ir.fail('the end of the operations');
    return this.facts;
  }

  private block(cursor: ByteCursor, depth: number): void {
    const [operations, hasArguments] = cursor.flagged();
    if (hasArguments) this.blockArguments(cursor);
    for (let left = operations; left > 0; left -= 1) this.operation(cursor, depth);
  }

  private blockArguments(cursor: ByteCursor): void {
    const { formatVersion, attributes } = this.tables;
    const count = cursor.count('arguments');
    for (let left = count; left > 0; left -= 1) {
      const located = this.argumentType(cursor);
      if (located) cursor.index(attributes.length, 'attributes');
    }
    if (formatVersion >= SINCE.useLists && cursor.byte() !== 0) skipUseLists(cursor, count);
  }

  /** Returns whether a location follows. */
  private argumentType(cursor: ByteCursor): boolean {
    if (this.tables.formatVersion < SINCE.shortArguments) {
      this.facts.values.add(this.types.next(cursor));
      return true;
    }
    const start = cursor.at;
    const [index, located] = cursor.flagged();
    this.facts.values.add(this.types.at(cursor, index, start));
    return located;
  }

  private operation(cursor: ByteCursor, depth: number): void {
    const { ops, attributes, formatVersion } = this.tables;
    const start = cursor.at;
    if (depth > DEEPEST) cursor.fail(`operations nested at most ${DEEPEST} deep`, start);
    const op = ops[cursor.index(ops.length, 'operation names')]!;
    const mask = cursor.byte();
    if (mask & HAS.unknown) cursor.fail('a mask of an operation, below 128', cursor.at - 1);
    cursor.index(attributes.length, 'attributes');
    const dictionary = mask & HAS.attributes ? this.attributes.next(cursor) : undefined;
    const record = mask & HAS.properties ? this.record(cursor) : undefined;
    const results = mask & HAS.results ? cursor.count('results') : 0;
    for (let left = results; left > 0; left -= 1) this.facts.values.add(this.types.next(cursor));
    if (mask & HAS.operands) cursor.skipNumbers('operands');
    if (mask & HAS.successors) cursor.skipNumbers('successors');
    if (mask & HAS.useLists) skipUseLists(cursor, results);
    if (op.name === MODULE && depth === 0 && dictionary !== undefined) this.module(dictionary);
    if (op.name === FUNCTION && depth === 1) {
      const inherent = record === undefined ? undefined : this.functionProperties(record, op.registered);
      this.function(inherent ?? (dictionary && this.attributes.dictionary(dictionary)), cursor, start);
    }
    if (!(mask & HAS.regions)) return;
    const [regions, isolated] = cursor.flagged();
    const nested = isolated && formatVersion >= SINCE.nestedSections;
    const { id, content } = nested ? cursor.section() : { id: IR_SECTION, content: cursor };
    if (id !== IR_SECTION) cursor.fail(`section ${IR_SECTION} for regions (found ${id})`, start);
    this.regions(content, regions, depth);
    if (nested && !content.done) content.fail('the end of a region');
  }

  private regions(cursor: ByteCursor, count: number, depth: number): void {
    for (let region = 0; region < count; region += 1) {
      const blocks = cursor.varint();
      if (blocks > 0) cursor.varint('a count of values');
      for (let block = 0; block < blocks; block += 1) this.block(cursor, depth + 1);
    }
  }

  private record(cursor: ByteCursor): ByteCursor {
    const { bytes, file, properties } = this.tables;
    const { at, end } = properties[cursor.index(properties.length, 'property records')]!;
    return new ByteCursor(bytes, file, at, end);
  }

  private module(dictionary: Entry): void {
    for (const [name, entry] of this.attributes.dictionary(dictionary)) {
      const value = this.attributes.integer(entry);
      if (value !== undefined) this.facts.attributes.set(name, value);
    }
  }

  private functionProperties(record: ByteCursor, registered: boolean): Map<string, Entry> {
    if (!registered) return this.attributes.dictionary(this.attributes.next(record));
    return new Map(FUNCTION_PROPERTIES.map((name) => [name, this.attributes.next(record)]));
  }

  private function(own: Map<string, Entry> | undefined, cursor: ByteCursor, start: number): void {
    const name = own?.get('sym_name');
    const type = own?.get('function_type');
    const visibility = own?.get('sym_visibility');
    if (name === undefined || type === undefined) cursor.fail('a function with a name and a type', start);
    const visible = visibility === undefined ? '' : this.attributes.string(visibility);
    this.facts.functions.push({
      name: this.attributes.string(name),
      public: visible === '' || visible === 'public',
      type: this.attributes.functionType(type),
    });
  }
}

/** In which order the uses of values are linked; one value has no index. */
function skipUseLists(cursor: ByteCursor, values: number): void {
  for (let left = values > 1 ? cursor.count('use-list orders') : 1; left > 0; left -= 1) {
    if (values > 1) cursor.varint();
    const start = cursor.at;
    const [numbers] = cursor.flagged();
    if (numbers > cursor.end - cursor.at) cursor.fail('a count of uses', start);
    for (let number = 0; number < numbers; number += 1) cursor.varint();
  }
}

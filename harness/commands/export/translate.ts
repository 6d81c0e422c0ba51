/** Recorded calls as statements of C. */
import { builtinSize } from '../../knowledge/abi/c-type.ts';
import {
  type Abi,
  extensionFunction,
  extensionNamed,
  type Field,
  isExtensionFunction,
  kindsOf,
  type StructLayout,
} from '../../knowledge/abi/index.ts';
import type {
  BlockLine,
  CallLine,
  ComparisonLine,
  FindingLine,
  LeaveLine,
  RecordedLine,
} from '../../model/call-recording.ts';
import { cArray, cString, cText, isPlainText } from './c-literals.ts';
import { type Judged, judgement, type Made, startsWith } from './judgement.ts';
import { Origins } from './origins.ts';

/** What a program is made of. */
export interface Translation {
  /** Callbacks and tables, before `main`. */
  declarations: string[];
  statements: string[];
  /** Files beside the program. */
  data: Map<string, Uint8Array>;
  /** Whether it calls functions of extensions. */
  extensions: boolean;
  /** Why the program is not what the case does. */
  beyond: string[];
  /** Where it fails as the case did. */
  judged: Judged | undefined;
  /** The last call, if it did not return. */
  unfinished: string | undefined;
}

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
  at: bigint;
  size: number;
}

/**
 * Translates a recording twice: the second time without the questions outside the case whose answers nothing uses.
 * @param finding the one that the program is to show
 */
export function translate(lines: readonly RecordedLine[], abi: Abi, finding: FindingLine | undefined): Translation {
  const whole = new Translator(lines, abi, finding, new Set());
  whole.run();
  const short = new Translator(lines, abi, finding, whole.unused());
  return short.run();
}

class Translator {
  readonly #lines: readonly RecordedLine[];
  readonly #abi: Abi;
  readonly #finding: FindingLine | undefined;
  readonly #dropped: ReadonlySet<number>;
  readonly #comparisons: ReadonlyMap<number, readonly ComparisonLine[]>;
  readonly #origins = new Origins();
  readonly #blocks = new Map<number, Placed>();
  readonly #calls = new Map<number, Made>();
  readonly #left: ReadonlyMap<number, LeaveLine>;
  readonly #uses = new Map<number, Set<number>>();
  readonly #callbacks = new Map<string, { name: string; fired: number; calls: readonly string[] }>();
  readonly #expected: { call: string; error: string }[] = [];
  readonly #result: Translation = {
    declarations: [],
    statements: [],
    data: new Map(),
    extensions: false,
    beyond: [],
    judged: undefined,
    unfinished: undefined,
  };
  #pending: BlockLine[] = [];
  #inCase = false;
  /** Calls so far that the program makes. */
  #numbers = 0;
  #user = -1;

  constructor(
    lines: readonly RecordedLine[],
    abi: Abi,
    finding: FindingLine | undefined,
    dropped: ReadonlySet<number>,
  ) {
    this.#lines = lines;
    this.#abi = abi;
    this.#finding = finding;
    this.#dropped = dropped;
    this.#comparisons = this.#comparisonsOf(lines);
    this.#left = new Map(lines.flatMap((line) => (line.k === 'leave' ? [[line.n, line]] : [])));
  }

  run(): Translation {
    for (const [at, line] of this.#lines.entries()) {
      if (line.k === 'block') this.#pending.push(line);
      else if (line.k === 'case') this.#edge(line.edge);
      else if (line.k === 'call') this.#call(line, at);
      else if (line.k === 'leave') this.#leave(line);
      else if (line.k === 'taken') this.#taken(line.id, at);
      else if (line.k === 'function') this.#function(line.at, line.arguments, line.name);
      else if (line.k === 'callback') this.#callback(line.at, line.calls, line.beyond);
      else if (line.k === 'firing') this.#firing(line.at, line.arguments);
      else if (line.k === 'expects') this.#expected.push(line);
      else if (line.k === 'beyond') this.#beyond(line.what);
      else if (line.k === 'finding' || line.k === 'comparison') this.#judge(line);
      if (this.#result.judged) break;
    }
    return this.#result;
  }

  /** Questions outside the case whose answers no other call needs. */
  unused(): Set<number> {
    const unused = new Set<number>();
    for (const made of [...this.#calls.values()].reverse()) {
      const needed = [...this.#uses].some(([user, used]) => used.has(made.n) && !unused.has(user));
      if (!made.inCase && !needed && made.isQuestion) unused.add(made.n);
    }
    return unused;
  }

  #edge(edge: 'begin' | 'end'): void {
    this.#inCase = edge === 'begin';
    this.#say('', edge === 'begin' ? '/* The case. */' : '/* Its end. */');
  }

  #say(...statements: string[]): void {
    this.#result.statements.push(...statements);
  }

  #beyond(what: string): void {
    if (this.#inCase && !this.#result.beyond.includes(what)) this.#result.beyond.push(what);
  }

  #argsOf = (name: string): StructLayout =>
    isExtensionFunction(name) ? extensionFunction(name).args() : this.#abi.argsOf(name);

  #call(line: CallLine, at: number): void {
    const layout = this.#argsOf(line.name);
    const left = this.#left.get(line.n);
    if (!this.#dropped.has(line.n)) this.#numbers++;
    const made: Made = {
      n: line.n,
      name: line.name,
      layout,
      number: this.#numbers,
      args: `a${this.#numbers}`,
      inCase: this.#inCase,
      isQuestion: kindsOf(layout).has('query') && !kindsOf(layout).has('creator') && left?.answer === '0',
      left,
      before: bytesOf(line.bytes),
      outputs: this.#priorOrigins(line, left),
    };
    this.#calls.set(line.n, made);
    if (this.#dropped.has(line.n)) {
      this.#pending = [];
      return;
    }
    this.#user = line.n;
    if (line.where !== 'inside') this.#say('');
    this.#nameBlocks(layout, bytesOf(line.bytes), this.#numbers);
    this.#fillArguments(made, bytesOf(line.bytes));
    if (line.where === 'inside') {
      this.#origins.placed(BigInt(`0x${line.at}`), 1, made.args);
      this.#prepared.set(line.at, made);
      return;
    }
    this.#make(line, made, at);
  }

  readonly #prepared = new Map<string, Made>();

  /** The call itself: on another thread if others begin before it has returned. */
  #make(line: CallLine, made: Made, at: number): void {
    const { n, name, number } = made;
    const returnsNothing = this.#returnsNothing(name);
    const call = `${this.#functionOf(name)}(${made.args})`;
    this.#say(`begin(${number}, ${cString(name)});`);
    if (!made.left) this.#result.unfinished = name;
    const next = this.#lines.slice(at + 1).find(({ k }) => k === 'call' || k === 'leave');
    const isAlone = !made.left || (next?.k === 'leave' && next.n === n);
    if (line.where === 'elsewhere' && !isAlone && !returnsNothing) {
      this.#say(
        `struct elsewhere thread_${number} = {.args = ${made.args}};`,
        `PUT(thread_${number}.function, ${this.#functionOf(name)});`,
        `start(&thread_${number});`,
      );
      this.#threads.add(n);
      return;
    }
    if (!made.left) this.#say(`${call};`, 'alarm(0);');
    else if (returnsNothing) this.#say(`${call};`, 'alarm(0);');
    else this.#answer(made, call);
  }

  readonly #threads = new Set<number>();

  /** What is expected of the answer of a call. */
  #answer(made: Made, answer: string): void {
    const failed = made.left!.answer !== '0';
    const expected = this.#expected.findLastIndex(({ call }) => call === made.name);
    const error = expected < 0 ? undefined : this.#expected.splice(expected, 1)[0]!.error;
    const rests = this.#restsOn(made);
    if (rests === 'pjrt.UnexpectedError') this.#shows(`succeeds(${answer});`);
    else if (rests === 'pjrt.MissingError' || (rests === 'pjrt.WrongError' && error !== undefined))
      this.#shows(`fails(${answer}, ${this.#codeOf(error)});`);
    else if (!failed) this.#say(`succeeds(${answer});`);
    else {
      const how =
        error === undefined || rests === 'pjrt.WrongError'
          ? `failed_before(${answer})`
          : `fails(${answer}, ${this.#codeOf(error)})`;
      this.#say(`PJRT_Error *error_${made.number} = ${how};`, `(void)error_${made.number};`);
    }
  }

  /** A statement that fails as the case did. */
  #shows(statement: string): void {
    this.#say(statement);
    this.#result.judged = { by: 'answer' };
  }

  #codeOf = (error: string | undefined): number | string =>
    error === undefined || error === 'any' ? 0 : `PJRT_Error_Code_${error}`;

  /** Whether the finding is about the answer of this very call: the last of its function before it. */
  #restsOn({ n, name, left }: Made): string | undefined {
    const finding = this.#finding;
    if (!finding || finding.call !== name) return undefined;
    const before = this.#lines.indexOf(finding);
    const failed = left!.answer !== '0';
    if (failed === (finding.type === 'pjrt.MissingError')) return undefined;
    if (!['pjrt.UnexpectedError', 'pjrt.MissingError', 'pjrt.WrongError', 'pjrt.NotOffered'].includes(finding.type))
      return undefined;
    const last = this.#lines.findLast(
      (line, i) =>
        i < before && line.k === 'call' && line.name === name && (this.#left.get(line.n)?.answer !== '0') === failed,
    ) as CallLine | undefined;
    return last?.n === n ? (finding.type === 'pjrt.NotOffered' ? 'pjrt.UnexpectedError' : finding.type) : undefined;
  }

  #leave(left: LeaveLine): void {
    const made = this.#calls.get(left.n)!;
    if (this.#dropped.has(left.n)) return;
    if (this.#threads.delete(left.n)) this.#answer(made, `finish(&thread_${made.number})`);
    const { layout, args, n, number } = made;
    if (left.answer !== '0') {
      this.#origins.answered(BigInt(`0x${left.answer}`), `error_${number}`, n, true);
      return;
    }
    const view = viewOf(bytesOf(left.bytes));
    const before = viewOf(made.before);
    for (const field of layout.fields) {
      if (field.size !== 8 || Object.hasOwn(NUMBERS, field.type) || field.given) continue;
      const address = view.getBigUint64(field.offset, true);
      // The header does not mark every output as one.
      if (!field.out && address === before.getBigUint64(field.offset, true)) continue;
      const isFunction = field.depth === 0;
      const isNew = isFunction || field.destroy !== undefined || field.deleter !== undefined;
      const text = `${isFunction ? '(uintptr_t)' : ''}${args}->${field.name}`;
      if (!this.#isOwn(address)) this.#origins.answered(address, text, n, isNew);
      if (field.depth < 2 || left.memory[field.name] === undefined) continue;
      wordsOf(bytesOf(left.memory[field.name]!)).forEach((word, i) => {
        this.#origins.answered(word, `(void *)${args}->${field.name}[${i}]`, n, isNew);
      });
    }
    this.#changed(left.blocks, n);
  }

  #isOwn = (address: bigint): boolean =>
    this.#origins.of(address)?.call === undefined && this.#origins.of(address) !== undefined;

  /** The plugin has written into blocks of the caller: what addresses are there. */
  #changed(blocks: Record<number, string>, n: number): void {
    for (const [id, bytes] of Object.entries(blocks)) {
      const block = this.#blocks.get(Number(id));
      if (!block || block.size > FOLLOWED) continue;
      wordsOf(bytesOf(bytes)).forEach((word, i) => {
        if (!this.#isOwn(word)) this.#origins.answered(word, `word_at(${block.name}, ${i})`, n, true);
      });
    }
  }

  #priorOrigins(line: CallLine, left: LeaveLine | undefined): Map<string, string> {
    const prior = new Map<string, string>();
    if (!left) return prior;
    const view = viewOf(bytesOf(left.bytes));
    for (const field of this.#argsOf(line.name).outputs) {
      if (field.depth !== 1 || field.size !== 8) continue;
      const origin = this.#origins.of(view.getBigUint64(field.offset, true));
      if (origin) prior.set(field.name, origin.text);
    }
    return prior;
  }

  /** Declares the blocks that a call leads to, named after the fields that do, and fills those that are new or have changed. */
  #nameBlocks(layout: StructLayout, args: Buffer, n: number): void {
    const pending = new Map(this.#pending.map((block) => [block.id, block]));
    this.#pending = [];
    const typed = new Map<number, { name: string; type: string }>();
    const visit = (struct: StructLayout, bytes: Buffer, base: number): void => {
      for (const field of struct.fields) {
        if (field.depth === 0 || field.size !== 8 || base + field.offset + 8 > bytes.length) continue;
        const address = bytes.readBigUInt64LE(base + field.offset);
        const block = [...pending.values()].find(({ at, bytes: text }) => within(address, at, text));
        if (!block || typed.has(block.id)) continue;
        const type = field.depth > 1 ? 'void*' : field.base === 'void' ? 'uint8_t' : field.base;
        typed.set(block.id, { name: field.name, type });
        const inner = bytesOf(block.bytes);
        if (field.depth > 1) this.#visitPointers(inner, field, pending, typed);
        else if (this.#structOf(type)) {
          const { size } = this.#structOf(type)!;
          for (let at = 0; at + size <= inner.length; at += size) visit(this.#structOf(type)!, inner, at);
        }
      }
    };
    visit(layout, args, 0);
    const fresh = [...pending.values()].filter(({ id, bytes }) => this.#blocks.get(id)?.size !== bytesOf(bytes).length);
    for (const block of fresh) {
      const { name, type } = typed.get(block.id) ?? { name: 'memory', type: 'uint8_t' };
      const [at, size] = [BigInt(`0x${block.at}`), bytesOf(block.bytes).length];
      const placed = { name: `${name}_${n}${this.#blocks.has(block.id) ? 'b' : ''}_${block.id}`, type, at, size };
      this.#blocks.set(block.id, placed);
      this.#origins.placed(at, size, placed.name);
      this.#say(`${this.#structOf(type) ? type : 'void'} *${placed.name} = room(${size}, ${at % PAGE});`);
    }
    for (const block of pending.values())
      this.#fill(this.#blocks.get(block.id)!, bytesOf(block.bytes), !fresh.includes(block));
  }

  #visitPointers(
    inner: Buffer,
    field: Field,
    pending: ReadonlyMap<number, BlockLine>,
    typed: Map<number, { name: string; type: string }>,
  ): void {
    for (const word of wordsOf(inner)) {
      const block = [...pending.values()].find(({ at, bytes }) => within(word, at, bytes));
      if (!block || typed.has(block.id)) continue;
      const isLast = field.depth === 2;
      typed.set(block.id, {
        name: field.name,
        type: isLast && builtinSize(field.base) ? field.base : isLast ? 'uint8_t' : 'void*',
      });
    }
  }

  /** A struct whose members have a place each; of others the words are written. */
  #structOf(type: string): StructLayout | undefined {
    if (!this.#abi.hasStruct(type)) return undefined;
    const layout = this.#abi.struct(type);
    return layout.fields.length > 0 && layout.fields.every((f) => !f.union && !f.type.includes('['))
      ? layout
      : undefined;
  }

  #fill({ name, type, size }: Placed, bytes: Buffer, isAgain: boolean): void {
    if (isAgain) this.#say(`memset(${name}, 0, ${size});`);
    if (bytes.every((byte) => byte === 0)) return;
    const first = bytes[0]!;
    if (bytes.every((byte) => byte === first)) {
      this.#say(`memset(${name}, 0x${first.toString(16)}, ${size});`);
      return;
    }
    const struct = this.#structOf(type);
    if (struct && size % struct.size === 0) {
      for (let at = 0; at < size; at += struct.size) {
        const element = size === struct.size ? `${name}->` : `${name}[${at / struct.size}].`;
        this.#setFields(struct, bytes.subarray(at, at + struct.size), element);
      }
      return;
    }
    const words = size <= FOLLOWED && size % 8 === 0 ? wordsOf(bytes) : [];
    const origins = words.map((word) => this.#origins.of(word));
    if (type === 'void*' || (origins.some(Boolean) && !Object.hasOwn(NUMBERS, type))) {
      words.forEach((word, i) => {
        if (word !== 0n) this.#say(`PUT(((void **)${name})[${i}], ${this.#address(word)});`);
      });
      return;
    }
    if (size > IN_PROGRAM) {
      const file = `data/${name}.npy`;
      this.#result.data.set(file, bytes);
      this.#say(`load(${name}, ${size}, ${cString(file)});`);
    } else if (isPlainText(bytes)) this.#say(`memcpy(${name},\n         ${cText(bytes, '         ')}, ${size});`);
    else if (type === 'char' && isPlainText(bytes.subarray(0, -1)) && bytes.at(-1) === 0)
      this.#say(`memcpy(${name},\n         ${cText(bytes.subarray(0, -1), '         ')}, ${size});`);
    else this.#say(`memcpy(${name}, ${cArray(bytes, type)}, ${size});`);
  }

  /** An address as C has it. */
  #address(word: bigint): string {
    const origin = this.#origins.of(word);
    const answering = this.#answering.get(word);
    if (answering !== undefined) this.#beyond(answering);
    if (origin?.call !== undefined) this.#use(origin.call);
    return origin?.text ?? `0x${word.toString(16)}u`;
  }

  #use(call: number): void {
    const used = this.#uses.get(this.#user) ?? new Set();
    this.#uses.set(this.#user, used.add(call));
  }

  #fillArguments({ layout, args, name }: Made, bytes: Buffer): void {
    const declaredBytes =
      bytes.length === layout.size ? `ARGS(${layout.name})` : `room(${bytes.length}, PAGE - ${bytes.length})`;
    this.#say(`${layout.name} *${args} = ${declaredBytes};`);
    this.#setFields(layout, bytes, `${args}->`, name);
    const rest = bytes.subarray(layout.size);
    if (rest.some((byte) => byte !== 0))
      this.#say(`memcpy((char *)${args} + ${layout.size}, ${cArray(rest, 'uint8_t')}, ${rest.length});`);
  }

  #setFields(layout: StructLayout, bytes: Buffer, prefix: string, call?: string): void {
    const view = viewOf(bytes);
    for (const [i, field] of layout.fields.entries()) {
      if (field.offset + field.size > bytes.length || field.size === 0) continue;
      // Of a union the first member is enough: the bytes are the same.
      if (
        field.union &&
        layout.fields.slice(0, i).some((f) => f.union && f.offset === field.offset && f.size >= field.size)
      )
        continue;
      const own = bytes.subarray(field.offset, field.offset + field.size);
      if (own.every((byte) => byte === 0)) continue;
      const target = `${prefix}${field.name}`;
      const nested = field.depth === 0 ? this.#structOf(field.type) : undefined;
      if (nested) this.#setFields(nested, own, `${target}.`);
      else this.#setField(layout, field, view, own, target, call);
    }
  }

  #setField(
    layout: StructLayout,
    field: Field,
    view: DataView,
    own: Buffer,
    target: string,
    call: string | undefined,
  ): void {
    if (field.size === 8 && !Object.hasOwn(NUMBERS, field.type)) {
      const word = view.getBigUint64(field.offset, true);
      const origin = this.#origins.of(word);
      if (!origin && !field.out && call !== undefined) this.#unknown(word, `${call}.${field.name}`);
      const isPlain = origin && field.depth > 0 && !origin.text.startsWith('(uintptr_t)');
      this.#say(
        isPlain ? `${target} = ${assignable(this.#address(word))};` : `PUT(${target}, ${this.#address(word)});`,
      );
      return;
    }
    if (
      field.name === 'struct_size' &&
      layout.declaredSize !== null &&
      view.getBigUint64(field.offset, true) === BigInt(layout.declaredSize)
    ) {
      this.#say(`${target} = ${layout.name}_STRUCT_SIZE;`);
      return;
    }
    if (field.size === 8)
      this.#say(
        `${target} = ${field.type === 'size_t' ? `${view.getBigUint64(field.offset, true)}u` : signed(view.getBigInt64(field.offset, true))};`,
      );
    else if (field.size === 1) this.#say(`${target} = ${own[0]};`);
    else if (field.size === 4 && field.type !== 'float')
      this.#say(`${target} = ${this.#enumValue(field.type, view.getInt32(field.offset, true))};`);
    else this.#say(`memcpy(&${target}, ${cArray(own, 'uint8_t')}, ${own.length});`);
  }

  #enumValue(type: string, value: number): string {
    if (!this.#abi.enumTypes.includes(type)) return String(value);
    return this.#abi.enumNames(type).get(value) ?? `(${type})${value}`;
  }

  /** An address that comes from nothing recorded: arguments that are wrong on purpose look alike, others can't be had again. */
  #unknown(word: bigint, where: string): void {
    const text = word.toString(16).padStart(16, '0');
    const isMadeUp = word < 65536n || word >= 1n << 47n || /^(..)\1{3,}/.test(text) || /(..)\1{3}$/.test(text);
    if (!isMadeUp) this.#beyond(`${where} has an address that no recorded call has given`);
  }

  #function(at: string, given: readonly string[], name: string): void {
    this.#user = -2;
    const [object = '0'] = given;
    const address = (word: string): string => {
      if (!this.#origins.of(BigInt(`0x${word}`)))
        this.#beyond(`${name} has an address that no recorded call has given`);
      return this.#address(BigInt(`0x${word}`));
    };
    this.#say(
      `begin(0, ${cString(name)});`,
      `((void (*)(void *))${address(at)})((void *)${address(object)});`,
      'alarm(0);',
    );
  }

  #callback(at: string, calls: readonly string[], beyond: string | undefined): void {
    const number = this.#callbacks.size;
    const name = `callback_${number}`;
    if (beyond !== undefined) this.#answering.set(BigInt(`0x${at}`), beyond);
    this.#callbacks.set(at, { name, fired: 0, calls });
    this.#result.declarations.push(`CALLBACK(${name})`);
    this.#origins.placed(BigInt(`0x${at}`), 1, `(uintptr_t)${name}_function`);
    calls.forEach((args, i) => {
      const made = this.#prepared.get(args);
      if (!made) {
        this.#beyond('a callback makes a call that was not recorded');
        return;
      }
      this.#say(
        `PUT(${name}.call[${i}].function, ${this.#functionOf(made.name)});`,
        `${name}.call[${i}].args = ${made.args};`,
        `${name}.calls = ${i + 1};`,
      );
    });
  }

  /** Callbacks that a program can't have, by their addresses: that matters if the case gives one to the plugin. */
  readonly #answering = new Map<bigint, string>();

  #firing(at: string, given: readonly string[]): void {
    const callback = this.#callbacks.get(at)!;
    const index = callback.fired++;
    if (!this.#inCase) return;
    this.#say(`wait_for(&${callback.name}, ${callback.fired});`);
    if (index >= 64) return;
    given.forEach((word, i) => {
      const address = BigInt(`0x${word}`);
      if (!this.#isOwn(address))
        this.#origins.answered(address, `(void *)${callback.name}.given[${index}][${i}]`, -3, true);
    });
  }

  /** How the function is reached. */
  #functionOf(name: string): string {
    if (!isExtensionFunction(name)) return `api->${name}`;
    const { extension, slot } = extensionFunction(name);
    const { struct, type } = extensionNamed(extension);
    this.#result.extensions = true;
    return `((${struct} *)extension(${type}))->${slot}`;
  }

  #returnsNothing(name: string): boolean {
    if (!isExtensionFunction(name)) return this.#abi.returnType(name) === 'void';
    const { extension, slot } = extensionFunction(name);
    return extensionNamed(extension).slots.find((one) => one.name === slot)?.returns === 'void';
  }

  /** Memory that was read, if a comparison is about it: it may be used again before that. */
  #taken(id: number, at: number): void {
    const block = this.#blocks.get(id);
    const compared = this.#comparisons.get(at);
    if (!block || !compared) return;
    const name = `taken_${at}`;
    this.#say(`void *${name} = memcpy(room(${block.size}, 0), ${block.name}, ${block.size});`);
    for (const line of compared) this.#compared.set(line, name);
  }

  /** Comparisons by the place of what they are about: the last memory that was read with these bytes. */
  #comparisonsOf(lines: readonly RecordedLine[]): Map<number, ComparisonLine[]> {
    const found = new Map<number, ComparisonLine[]>();
    for (const [at, line] of lines.entries()) {
      if (line.k !== 'comparison') continue;
      const place = lines.findLastIndex((one, i) => i < at && one.k === 'taken' && startsWith(one.bytes, line.actual));
      found.set(place, [...(found.get(place) ?? []), line]);
    }
    return found;
  }

  readonly #compared = new Map<ComparisonLine, string>();

  /** The calls of the program so far. */
  #made = (): Made[] => [...this.#calls.values()].filter(({ n }) => !this.#dropped.has(n));

  /** A block without addresses, which are others in each process. */
  #arrayAt = (id: number, bytes: Buffer): Placed | undefined => {
    const block = this.#blocks.get(id);
    const holdsAddresses = bytes.length <= FOLLOWED && wordsOf(bytes).some((word) => this.#origins.of(word));
    return holdsAddresses ? undefined : block;
  };

  #judge(line: FindingLine | ComparisonLine): void {
    if (line.k === 'finding' && line !== this.#finding) return;
    const taken = line.k === 'comparison' ? this.#compared.get(line) : undefined;
    const judged = judgement(line, taken, this.#finding, this.#made(), this.#arrayAt);
    if (!judged) return;
    this.#say('', ...judged.statements);
    // What holds is checked too: the program is a test of its own.
    const isShown = line.k === 'finding' || (!line.ok && this.#finding?.type === 'pjrt.NumericMismatch');
    if (isShown) this.#result.judged = { by: judged.by };
  }
}

/** Types whose values are numbers, whatever they look like. */
const NUMBERS: Readonly<Record<string, true>> = {
  int64_t: true,
  uint64_t: true,
  size_t: true,
  double: true,
  char: true,
  int: true,
  int32_t: true,
};

const signed = (value: bigint): string => (value === -(2n ** 63n) ? 'INT64_MIN' : String(value));
/** A pointer that C takes for any other. */
const assignable = (text: string): string =>
  text.includes('->') && !text.startsWith('(void *)') ? `(void *)${text}` : text;
const bytesOf = (text: string): Buffer => {
  // Not from the pool, so that words are aligned.
  const bytes = Buffer.from(text, 'base64');
  return Buffer.from(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

const wordsOf = (bytes: Buffer): bigint[] =>
  Array.from({ length: Math.floor(bytes.length / 8) }, (_, i) => bytes.readBigUInt64LE(i * 8));

const within = (address: bigint, at: string, bytes: string): boolean => {
  const from = BigInt(`0x${at}`);
  return address >= from && address < from + BigInt(Math.max(1, bytesOf(bytes).length));
};

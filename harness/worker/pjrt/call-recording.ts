import { openSync, writeSync } from 'node:fs';
import { builtinSize } from '../../knowledge/abi/c-type.ts';
import { Abi, type Field, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import type { ComparisonLine, FindingLine, GrowthLine, RecordedLine, TableLine } from '../../model/call-recording.ts';
import type { Finding } from '../../model/finding.ts';
import { allocations, foreignWrites } from '../ffi/allocations.ts';
import { harmlessFunction } from '../ffi/libc.ts';
import { type Block, readBytesIfMapped } from '../ffi/memory.ts';
import type { InnerCall, Recorder } from '../ffi/recording.ts';
import { namedValuesText } from './named-values-text.ts';
import type { StructView } from './struct-view.ts';

/** A call with its arguments. */
type Call = Pick<StructView, 'layout' | 'word' | 'size'> & { name: string; address: bigint; bytes: Uint8Array };

/** Memory of the caller that calls may lead to. */
interface Known {
  id: number;
  block: Block;
  /** Its contents when they were last written down; undefined before. */
  written: Buffer | undefined;
  /** Its contents when the plugin was given it. */
  given: Buffer | undefined;
  /** The plugin writes into it, maybe later. */
  isOutput: boolean;
}

/** Memory of the plugin that an output of a call leads to. */
interface Answer {
  n: number;
  field: string;
  address: bigint;
  bytes: Uint8Array;
}

/** Of a larger block nobody follows the words: it is an array. */
const FOLLOWED = 64 * 1024;
/** Elements that are read of what an output leads to, and bytes of a text that nothing counts. */
const [ELEMENTS, TEXT] = [4096, 4096];
/** Of many equal rounds the first makes what it keeps, and the second is like all others. */
const ROUNDS = 2;
/** Memory that was written to which a finding or a comparison shows. */
const OUTPUTS = 8;
/** Answers of a function that a finding may be about. */
const ANSWERS = 1024;
/** What a recording holds at most. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Writes down the native calls of a process with all that they lead to, each before it is made. */
export class CallRecording {
  readonly #file: number;
  readonly #known: Known[] = [];
  readonly #callbacks = new Map<Recorder, number>();
  /** What the last calls of each function returned. */
  readonly #answers = new Map<string, readonly Answer[]>();
  /** Numbers of memory that was read, by the bytes that others have of it. */
  readonly #taken = new WeakMap<Uint8Array, number>();
  #reads = 0;
  #ids = 0;
  #calls = 0;
  #bytes = 0;
  /** Rounds so far of the growth that is measured; undefined outside of one. */
  #rounds: number | undefined;

  /** @param path of the file, which is replaced */
  constructor(path: string) {
    this.#file = openSync(path, 'w');
    allocations.observe((block) => this.#allocated(block));
    foreignWrites.observe(() => this.beyond('memory of the plugin that the case writes itself'));
  }

  /** A call begins. @returns its number, for `left` */
  entering(call: Call, where: 'here' | 'elsewhere' | 'inside'): number {
    if (this.#skips) return this.#calls++;
    this.#fired();
    const outputs = new Set<Known>();
    const bytes = Buffer.from(call.bytes);
    const leadsTo = this.#reached(bytes);
    for (const field of call.layout.fields) {
      const target = (field.out || isDestination(field)) && field.depth > 0 && this.#at(call.word(field.name));
      if (!target) continue;
      outputs.add(target);
      for (const inner of field.depth > 1 ? this.#reached(target.block.bytes) : []) outputs.add(inner);
    }
    for (const known of this.#known) {
      const isNew = known.written === undefined;
      if (isNew ? leadsTo.has(known) : outputs.has(known) || !known.isOutput) this.#update(known);
    }
    for (const known of outputs) {
      known.isOutput = true;
      known.given = known.written;
    }
    const written = [...outputs].map(({ id }) => id);
    const n = this.#calls++;
    this.#write({ k: 'call', n, name: call.name, where, at: hex(call.address), bytes: base64(bytes), written });
    return n;
  }

  /** A call has returned. */
  left(n: number, call: Call, answer: bigint | null): void {
    if (this.#skips) return;
    const memory: Record<string, string> = {};
    const answers: Answer[] = [];
    for (const field of call.layout.fields) {
      const seen = field.out && answer === null ? memoryBehind(call, field) : undefined;
      if (!seen) continue;
      memory[field.name] = base64(seen);
      answers.push({ n, field: field.name, address: call.word(field.name), bytes: seen });
    }
    this.#answers.set(call.name, [...(this.#answers.get(call.name) ?? []), ...answers].slice(-ANSWERS));
    const reached = this.#reached(Buffer.from(call.bytes));
    const blocks = this.#changes((known) => reached.has(known));
    this.#write({ k: 'leave', n, answer: hex(answer ?? 0n), bytes: base64(call.bytes), memory, blocks });
  }

  /** A function that the plugin has returned is called. */
  function(name: string, at: bigint, given: readonly bigint[]): void {
    this.#write({ k: 'function', name, at: hex(at), arguments: given.map(hex) });
  }

  /** A recorder is there for the plugin. */
  callback(recorder: Recorder, calls: readonly InnerCall[], open: boolean): void {
    if (this.#skips) return;
    this.#callbacks.set(recorder, 0);
    const beyond = open ? { beyond: 'a callback that waits for calls which depend on each other' } : {};
    const at = hex(recorder.address);
    this.#write({ k: 'callback', at, calls: calls.map((call) => hex(call.arguments)), ...beyond });
  }

  /** A function in JavaScript is there for the plugin. */
  answering(at: bigint, signature: string): void {
    this.#write({ k: 'callback', at: hex(at), calls: [], beyond: `a callback that answers: ${signature}` });
  }

  /** The plugin is loaded: which layouts its calls have. */
  loaded(minor: number, tables: { text: string; bytes: number } | undefined): void {
    this.#write({ k: 'plugin', minor, harmless: hex(harmlessFunction()), ...(tables && { tables }) });
  }

  case(edge: 'begin' | 'end'): void {
    this.#fired();
    this.#write({ k: 'case', edge });
  }

  /** A function of an error's own table is called. */
  table(
    { said, ...line }: Omit<TableLine, 'k' | 'error' | 'message'> & { said?: Uint8Array | undefined },
    error: bigint,
  ): void {
    this.#write({ k: 'table', error: hex(error), ...line, ...(said && { message: base64(said) }) });
  }

  /** It is measured from here on, or up to here, what many rounds use up. */
  growth(line: Omit<GrowthLine, 'k'>): void {
    this.#rounds = line.edge === 'begin' ? 0 : undefined;
    this.#write({ k: 'growth', ...line });
  }

  /** A round begins. */
  round(): void {
    if (this.#rounds === undefined) return;
    this.#fired();
    if (this.#rounds++ < ROUNDS) this.#write({ k: 'round' });
  }

  get #skips(): boolean {
    return this.#rounds !== undefined && this.#rounds > ROUNDS;
  }

  /** A call that follows must fail, with any error or with this one. */
  expects(call: string, error: string): void {
    this.#write({ k: 'expects', call, error });
  }

  found({ type, level, message, call, calls, code, extension, place, otherForm, requirements = [] }: Finding): void {
    if (this.#skips) this.beyond('what is found in one of many rounds');
    this.#fired();
    const about = [call, ...(calls ?? []), ...(type === 'pjrt.ErrorContract' ? OF_ERRORS : [])];
    const changed = [...new Set(about)].flatMap((name) => this.#changesSince(name));
    const whose: Pick<FindingLine, 'call' | 'calls'> = { ...(call && { call }), ...(calls && { calls }) };
    this.#write({
      k: 'finding',
      type,
      level,
      message,
      ...whose,
      requirements,
      ...(code !== undefined && { code }),
      ...(extension !== undefined && { extension }),
      ...(place !== undefined && { place }),
      ...(otherForm && { otherForm }),
      blocks: this.#outputs(),
      changed,
    });
  }

  /** What the plugin has written into memory is read; afterwards the memory may be used for something else. @returns its number */
  taken({ address, bytes }: Block): number {
    const known = this.#at(address);
    const number = this.#reads++;
    if (known) this.#write({ k: 'taken', id: known.id, number, bytes: base64(bytes) });
    return number;
  }

  /** Bytes that are those of memory that was read. */
  holds(bytes: Uint8Array, taken: number): void {
    this.#taken.set(bytes, taken);
  }

  /** @param actual the array's bytes, as the plugin gave them */
  compared(comparison: Omit<ComparisonLine, 'k' | 'of'>, actual: Uint8Array): void {
    const of = this.#taken.get(actual);
    this.#write({ k: 'comparison', ...(of !== undefined && { of }), ...comparison });
  }

  /** Something happens that no recording has. */
  beyond(what: string): void {
    this.#write({ k: 'beyond', what });
  }

  /** Answers of a function that are not what they were any more. */
  #changesSince(name: string | undefined): { n: number; field: string }[] {
    return (this.#answers.get(name ?? '') ?? []).flatMap(({ n, field, address, bytes }) => {
      const now = readBytesIfMapped(address, bytes.length);
      if (!now) this.beyond(`the ${field} that ${name} returned, which is gone since`);
      return now && Buffer.compare(now, bytes) !== 0 ? [{ n, field }] : [];
    });
  }

  /** What the plugin has written into the last memory that it was given for that. */
  #outputs(): Record<number, string> {
    const changed = this.#known.filter(({ given, block }) => given && !given.equals(block.bytes));
    const last = changed.sort((a, b) => a.id - b.id).slice(-OUTPUTS);
    return Object.fromEntries(last.map(({ id, block }) => [id, base64(block.bytes)]));
  }

  /** The contents of blocks that have others than when they were last written down. */
  #changes(which: (known: Known) => boolean): Record<number, string> {
    const blocks: Record<number, string> = {};
    for (const known of this.#known) {
      if (known.written === undefined || !which(known) || known.written.equals(known.block.bytes)) continue;
      known.written = Buffer.from(known.block.bytes);
      blocks[known.id] = base64(known.written);
    }
    return blocks;
  }

  #update(known: Known): void {
    const { id, block } = known;
    if (known.written?.equals(block.bytes)) return;
    known.written = Buffer.from(block.bytes);
    this.#write({ k: 'block', id, at: hex(block.address), bytes: base64(known.written) });
  }

  /** Calls of callbacks that have shown since the last look. */
  #fired(): void {
    for (const [recorder, seen] of this.#callbacks) {
      const firings = recorder.firings();
      this.#callbacks.set(recorder, firings.length);
      for (const firing of firings.slice(seen))
        this.#write({ k: 'firing', at: hex(recorder.address), arguments: firing.arguments.map(hex) });
    }
  }

  #allocated(block: Block): void {
    const from = this.#place(block.address);
    let to = from;
    while (to < this.#known.length && this.#known[to]!.block.address < endOf(block)) to++;
    const before = this.#known[from - 1];
    const start = before && endOf(before.block) > block.address ? from - 1 : from;
    this.#known.splice(start, to - start, {
      id: this.#ids++,
      block,
      written: undefined,
      given: undefined,
      isOutput: false,
    });
  }

  /** The first block that begins at an address or behind it. */
  #place(address: bigint): number {
    let [low, high] = [0, this.#known.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#known[middle]!.block.address < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #at(address: bigint): Known | undefined {
    const place = this.#place(address);
    for (const known of [this.#known[place], this.#known[place - 1]]) {
      if (known && known.block.address <= address && address <= endOf(known.block)) return known;
    }
    return undefined;
  }

  /** All blocks that these bytes lead to, and what those lead to. */
  #reached(bytes: Uint8Array, all = new Set<Known>()): Set<Known> {
    if (bytes.length > FOLLOWED) return all;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      const known = this.#at(view.getBigUint64(at, true));
      if (!known || all.has(known)) continue;
      all.add(known);
      this.#reached(known.block.bytes, all);
    }
    return all;
  }

  #write(line: RecordedLine): void {
    if (this.#skips && line.k !== 'beyond') return;
    const text = `${JSON.stringify(line)}\n`;
    if (this.#bytes > MOST_BYTES) return;
    this.#bytes += text.length;
    const last: RecordedLine = { k: 'beyond', what: `more than ${MOST_BYTES >> 20} MiB of calls and their data` };
    writeSync(this.#file, this.#bytes > MOST_BYTES ? `${JSON.stringify(last)}\n` : text);
  }
}

/** Memory of the caller that the header does not mark as an output. */
const isDestination = ({ name, base }: Field): boolean => name === 'dst' && base === 'void';

/** Functions whose answers show what is wrong with an error. */
const OF_ERRORS = ['PJRT_Error_GetCode', 'PJRT_Error_Message'];

const hex = (word: bigint): string => word.toString(16);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const endOf = ({ address, bytes }: Block): bigint => address + BigInt(bytes.length);

/** What an output leads to, if it is an array that a field counts, or a text that ends in a NUL. */
function memoryBehind(call: Call, { name, base, depth, count, content }: Field): Uint8Array | undefined {
  const address = depth > 0 ? call.word(name) : 0n;
  if (address === 0n) return undefined;
  if (content === 'terminated') {
    const text = readBytesIfMapped(address, TEXT);
    return text?.subarray(0, text.indexOf(0) + 1);
  }
  if (base === 'PJRT_NamedValue' && depth === 1 && count !== undefined) {
    const text = namedValuesText(address, call.size(count));
    return text === undefined ? undefined : Buffer.from(text);
  }
  const size = depth > 1 ? 8 : (builtinSize(base)?.size ?? Abi.at(NEWEST_MINOR).integerBytes(base) ?? 0);
  if (count === undefined || size === 0) return undefined;
  const elements = counted(call, count);
  return elements > 0 && elements <= ELEMENTS ? readBytesIfMapped(address, elements * size) : undefined;
}

/** What a field counts: of an array, all that its elements count together. */
function counted(call: Call, name: string): number {
  const { depth, count } = call.layout.field(name);
  if (depth === 0) return call.size(name);
  const bytes = count === undefined ? 0 : 8 * call.size(count);
  const sizes = bytes > 0 && bytes <= 8 * ELEMENTS ? readBytesIfMapped(call.word(name), bytes) : undefined;
  return sizes ? new BigUint64Array(Uint8Array.from(sizes).buffer).reduce((sum, size) => sum + Number(size), 0) : 0;
}

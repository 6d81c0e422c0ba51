import { openSync, writeSync } from 'node:fs';
import { builtinSize } from '../../knowledge/abi/c-type.ts';
import type { Field } from '../../knowledge/abi/index.ts';
import type { ComparisonLine, FindingLine, RecordedLine } from '../../model/call-recording.ts';
import type { Finding } from '../../model/finding.ts';
import { allocations, foreignWrites } from '../ffi/allocations.ts';
import { type Block, readBytesIfMapped } from '../ffi/memory.ts';
import type { InnerCall, Recorder } from '../ffi/recording.ts';
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

/** Memory of the plugin that an output leads to. */
interface Answer {
  field: string;
  address: bigint;
  bytes: Uint8Array;
}

/** Of a larger block nobody follows the words: it is an array. */
const FOLLOWED = 64 * 1024;
/** Elements that are read of what an output leads to, and bytes of a text that nothing counts. */
const [ELEMENTS, TEXT] = [4096, 4096];
/** Memory that was written to which a finding or a comparison shows. */
const OUTPUTS = 8;
/** What a recording holds at most. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Writes down the native calls of a process with all that they lead to, each before it is made. */
export class CallRecording {
  readonly #file: number;
  readonly #known: Known[] = [];
  readonly #callbacks = new Map<Recorder, number>();
  /** What the last call of each function returned. */
  readonly #answers = new Map<string, readonly Answer[]>();
  #ids = 0;
  #calls = 0;
  #bytes = 0;

  /** @param path of the file, which is replaced */
  constructor(path: string) {
    this.#file = openSync(path, 'w');
    allocations.observe((block) => this.#allocated(block));
    foreignWrites.observe(() => this.beyond('memory of the plugin that the case writes itself'));
  }

  /** A call begins. @returns its number, for `left` */
  entering(call: Call, where: 'here' | 'elsewhere' | 'inside'): number {
    this.#fired();
    const outputs = new Set<Known>();
    const bytes = Buffer.from(call.bytes);
    const leadsTo = this.#reached(bytes);
    for (const field of call.layout.fields) {
      const target = field.out && field.depth > 0 && this.#at(call.word(field.name));
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
    const memory: Record<string, string> = {};
    const answers: Answer[] = [];
    for (const field of call.layout.fields) {
      const seen = field.out && answer === null ? memoryBehind(call, field) : undefined;
      if (!seen) continue;
      memory[field.name] = base64(seen);
      answers.push({ field: field.name, address: call.word(field.name), bytes: seen });
    }
    this.#answers.set(call.name, answers);
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
  loaded(minor: number): void {
    this.#write({ k: 'plugin', minor });
  }

  case(edge: 'begin' | 'end'): void {
    this.#fired();
    this.#write({ k: 'case', edge });
  }

  /** A call that follows must fail, with any error or with this one. */
  expects(call: string, error: string): void {
    this.#write({ k: 'expects', call, error });
  }

  found({ type, level, message, call, calls, requirements = [] }: Finding): void {
    this.#fired();
    for (const name of new Set([call, ...(calls ?? [])])) this.#noteChanges(name);
    const whose: Pick<FindingLine, 'call' | 'calls'> = { ...(call && { call }), ...(calls && { calls }) };
    this.#write({ k: 'finding', type, level, message, ...whose, requirements, blocks: this.#outputs() });
  }

  /** What the plugin has written into memory is read; afterwards the memory may be used for something else. */
  taken({ address, bytes }: Block): void {
    const known = this.#at(address);
    if (known) this.#write({ k: 'taken', id: known.id, bytes: base64(bytes) });
  }

  compared(comparison: Omit<ComparisonLine, 'k'>): void {
    this.#write({ k: 'comparison', ...comparison });
  }

  /** Something happens that no recording has. */
  beyond(what: string): void {
    this.#write({ k: 'beyond', what });
  }

  /** The last answer of a function is not what it was any more: then no program can compare it with what it was. */
  #noteChanges(name: string | undefined): void {
    for (const { field, address, bytes } of this.#answers.get(name ?? '') ?? []) {
      const now = readBytesIfMapped(address, bytes.length);
      if (!now || Buffer.compare(now, bytes) !== 0)
        this.beyond(`the ${field} that ${name} returned, which has changed since`);
    }
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
    const text = `${JSON.stringify(line)}\n`;
    if (this.#bytes > MOST_BYTES) return;
    this.#bytes += text.length;
    const last: RecordedLine = { k: 'beyond', what: `more than ${MOST_BYTES >> 20} MiB of calls and their data` };
    writeSync(this.#file, this.#bytes > MOST_BYTES ? `${JSON.stringify(last)}\n` : text);
  }
}

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
  const size = depth > 1 ? 8 : (builtinSize(base)?.size ?? 0);
  if (count === undefined || size === 0 || call.layout.field(count).depth > 0) return undefined;
  const elements = call.size(count);
  return elements > 0 && elements <= ELEMENTS ? readBytesIfMapped(address, elements * size) : undefined;
}

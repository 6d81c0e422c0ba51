import { closeSync } from 'node:fs';
import koffi from 'koffi';
import { BREADCRUMB, MAX_CALL_NAMES, NO_CALL, PHASE } from '../../host/wire/breadcrumb-layout.ts';
import { noteExit } from './exit-note.ts';
import { shareLentBlocks } from './lent-blocks.ts';
import { c, MAP, PROT } from './libc.ts';
import { watchFaults } from './watch-faults.ts';
import { shareWrongCalls } from './wrong-calls.ts';

const { records: RECORDS } = BREADCRUMB.trace;
const LENT_AT = BREADCRUMB.lent.offset;
/** RECORDS is a power of two: the remainder of numbers beyond 31 bits would cost more than everything else. */
const RECORD_MASK = RECORDS - 1;

const word = (name: keyof typeof BREADCRUMB.words): number => BREADCRUMB.words[name] / 4;

/** The worker's side of the breadcrumb: plain stores into a shared mapping, a few nanoseconds each. */
export class Breadcrumb {
  #words: Uint32Array;
  /** The trace as words and as doubles: four words or two doubles per record. */
  #trace: Uint32Array;
  #times: Float64Array;
  #names: Uint8Array;
  #ids = new Map<string, number>();
  /** Of the words `inner` and `callback`, which native code writes. */
  readonly innerAddress: bigint;
  readonly #success: number;
  readonly #exitStatus: bigint;
  readonly #exitMark: bigint;
  readonly #fault: bigint;
  readonly #callsAddress: bigint;

  /** @param fd descriptor of a file of zeros, which is closed */
  constructor(fd: number) {
    const map = (bytes: number, offset: number): bigint => {
      const address = c.mmap(null, bytes, PROT.read | PROT.write, MAP.shared, fd, offset);
      if (address === null || address === 0xffffffffffffffffn) throw new Error(`cannot map the breadcrumb`);
      return address;
    };
    const address = map(BREADCRUMB.bytes, 0);
    this.#exitStatus = address + BigInt(BREADCRUMB.words.exitStatus);
    this.#exitMark = map(BREADCRUMB.exit.bytes, BREADCRUMB.exit.offset);
    this.#fault = map(LENT_AT - BREADCRUMB.fault.offset, BREADCRUMB.fault.offset);
    this.#callsAddress = address + BigInt(BREADCRUMB.words.calls);
    const lent = map(BREADCRUMB.fileBytes - LENT_AT, LENT_AT);
    closeSync(fd);
    shareLentBlocks(koffi.view(lent, BREADCRUMB.fileBytes - LENT_AT) as ArrayBuffer);
    const buffer = koffi.view(address, BREADCRUMB.bytes) as ArrayBuffer;
    this.innerAddress = address + BigInt(BREADCRUMB.words.inner);
    this.#words = new Uint32Array(buffer, 0, BREADCRUMB.wordBytes / 4);
    this.#trace = new Uint32Array(buffer, BREADCRUMB.trace.offset, RECORDS * 4);
    this.#times = new Float64Array(buffer, BREADCRUMB.trace.offset, RECORDS * 2);
    this.#names = new Uint8Array(buffer);
    this.#words[word('pending')] = NO_CALL;
    this.#words[word('call')] = NO_CALL;
    this.#words[word('inner')] = NO_CALL;
    this.#words[word('callback')] = NO_CALL;
    this.#words[word('magic')] = BREADCRUMB.magic;
    shareWrongCalls(this.#words.subarray(word('wrong'), word('refusals') + 1));
    this.#success = this.id('OK');
    this.watchExit();
    this.watchFaults();
  }

  /** Index of a name of a call or an answer; the name itself is written into the mapping once. */
  id(name: string): number {
    let id = this.#ids.get(name);
    if (id === undefined) {
      id = Math.min(this.#ids.size, MAX_CALL_NAMES - 1);
      this.#ids.set(name, id);
      const start = BREADCRUMB.names.offset + id * BREADCRUMB.names.entryBytes;
      const text = Buffer.from(name.slice(0, BREADCRUMB.names.entryBytes - 1), 'latin1');
      this.#names.fill(0, start, start + BREADCRUMB.names.entryBytes);
      this.#names.set(text, start);
    }
    return id;
  }

  case(number: number): void {
    this.#words[word('caseNumber')] = number;
    this.#words[word('wrong')] = 0;
    this.#words[word('refusals')] = 0;
    this.#words[word('line')] = 0;
    this.#words[word('call')] = NO_CALL;
    this.#words[word('callsBefore')] = this.#words[word('calls')]!;
    this.#words[word('phase')] = PHASE.harness;
  }

  line(line: number): void {
    this.#words[word('line')] = line;
  }

  /** A native call begins on this thread. @returns its number */
  enter(id: number): number {
    const call = this.#begin(id);
    this.#words[3] = id;
    this.#words[4] = PHASE.call;
    return call;
  }

  /** It has returned. */
  leave(call: number, answer: number, ms: number): void {
    this.back(call, answer, ms);
    this.#words[4] = PHASE.reading;
  }

  /**
   * Records the answer of a call; the last one recorded counts. Does nothing if the record has been overwritten by later
   * calls.
   */
  back(call: number, answer: number, ms: number): void {
    if ((this.#words[5]! - call) >>> 0 > RECORDS) return;
    const at = call & RECORD_MASK;
    this.#trace[at * 4 + 1] = answer;
    if (answer === this.#success) {
      this.#names[BREADCRUMB.names.offset + (this.#trace[at * 4]! + 1) * BREADCRUMB.names.entryBytes - 1] = 1;
    }
    this.#times[at * 2 + 1] = ms;
  }

  #begin(id: number): number {
    const call = this.#words[5]!;
    const at = (call & RECORD_MASK) * 4;
    this.#trace[at] = id;
    this.#trace[at + 1] = NO_CALL;
    this.#words[5] = call + 1;
    return call;
  }

  /** The harness reads nothing more of what the last call returned. */
  idle(): void {
    this.#words[4] = PHASE.harness;
  }

  /** The plugin has closed the harness's descriptors: this is the only remaining channel. */
  closed(): void {
    this.#words[word('closed')] = 1;
  }

  /**
   * Records a call of `exit` in the breadcrumb before anything loaded so far is destroyed; to be repeated after a library was
   * loaded.
   */
  watchExit(): void {
    noteExit(this.#exitMark, BREADCRUMB.exit.bytes, this.#exitStatus);
  }

  /** Records the signal that ends the process; to be repeated to be in front of handlers that a library has set. */
  watchFaults(): void {
    watchFaults(this.#fault, this.#callsAddress);
  }

  /** The process was asked to end: its call of `exit` is not the plugin's. */
  leaving(): void {
    this.#words[word('leaving')] = 1;
  }

  /** A native call begins on another thread. @returns its number */
  enterAsync(id: number): number {
    this.#words[word('pending')] = id;
    return this.#begin(id);
  }

  leaveAsync(call: number, answer: number, ms: number): void {
    this.back(call, answer, ms);
    this.#words[word('pending')] = NO_CALL;
  }
}

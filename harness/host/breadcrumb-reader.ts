import { closeSync, fstatSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import type { CallTrace, TracedCall } from '../model/case-result.ts';
import type { InvalidAccess } from '../model/invalid-access.ts';
import { invalidAccess, type Lent } from './invalid-access.ts';
import { BREADCRUMB, type DEBUGGER, MAX_CALL_NAMES, NO_CALL, PHASE, type Phase } from './wire/breadcrumb-layout.ts';

/** What a worker is doing now. */
export interface Crumb {
  caseNumber: number;
  line: number;
  /** Name of the last native call that was entered; undefined before the first of a case. */
  call: string | undefined;
  phase: Phase;
  /** Number of native calls that the running case has started. */
  calls: number;
  /** An asynchronous call that has not returned. */
  pending: string | undefined;
  /** A call that a callback is making, and the function that the callback was given to. */
  inner: { call: string; callback: string } | undefined;
  /** Functions in progress that have not succeeded yet in this process. */
  untried: string[];
  /** The worker found its message channel closed by the plugin, and exited. */
  closed: boolean;
  /** Status of an unrequested call of `exit`. */
  exited: number | undefined;
  /** Whether a call is in progress that the plugin must refuse. */
  wrong: boolean;
  /** Whether the case has made such calls. */
  refusals: boolean;
  /** The plugin has overwritten or truncated it: nothing else in it is true. */
  damaged: boolean;
}

const DAMAGED: Crumb = {
  caseNumber: 0,
  line: 0,
  call: undefined,
  phase: PHASE.harness,
  calls: 0,
  pending: undefined,
  inner: undefined,
  untried: [],
  closed: false,
  exited: undefined,
  wrong: false,
  refusals: false,
  damaged: true,
};

/** More calls at a time than any case makes. */
const TOO_MANY = 0x10000;

/** How a signal ended a process. */
export interface Ended {
  /** Whether it did so on a thread of the plugin. */
  elsewhere: boolean;
  /** Of an invalid access to memory. */
  access: InvalidAccess | undefined;
}

type FaultWord = (typeof BREADCRUMB.fault.words)[number];

/** As faults.c numbers them. */
const ACCESS = [undefined, 'read', 'write', 'run'] as const;

/** Reads a worker's breadcrumb, while the worker runs and after its death. The plugin can write anything into it. */
export class BreadcrumbReader {
  readonly #fd: number;
  readonly #words = Buffer.alloc(BREADCRUMB.wordBytes);
  readonly #names = new Map<number, string>();
  #begun = false;

  /** @param fd its descriptor, which is the reader's from now on */
  constructor(fd: number) {
    this.#fd = fd;
  }

  read(): Crumb | undefined {
    this.#words.fill(0);
    readSync(this.#fd, this.#words, 0, this.#words.length, 0);
    const at = (name: keyof typeof BREADCRUMB.words): number => this.#words.readUInt32LE(BREADCRUMB.words[name]);
    if (!this.#begun && this.#words.every((byte) => byte === 0)) return undefined;
    this.#begun = true;
    const possible =
      at('magic') === BREADCRUMB.magic &&
      (Object.values(PHASE) as number[]).includes(at('phase')) &&
      (['call', 'pending', 'inner', 'callback'] as const).every((n) => at(n) < MAX_CALL_NAMES || at(n) === NO_CALL) &&
      Math.max(at('closed'), at('leaving')) <= 1 &&
      at('wrong') < TOO_MANY &&
      fstatSync(this.#fd).size === BREADCRUMB.fileBytes;
    if (!possible) return DAMAGED;
    return {
      caseNumber: at('caseNumber'),
      line: at('line'),
      call: this.#name(at('call')),
      phase: at('phase') as Phase,
      calls: (at('calls') - at('callsBefore')) >>> 0,
      pending: this.#name(at('pending')),
      inner: this.#inner(at('inner'), at('callback')),
      untried: [at('call'), at('pending')].flatMap((id) => this.#untried(id)),
      closed: at('closed') === 1,
      exited: at('leaving') === 1 ? undefined : this.#exitStatus(),
      wrong: at('wrong') > 0,
      refusals: at('refusals') > 0,
      damaged: false,
    };
  }

  /** What the handler saw of the signal that ended the process; undefined if it did not run for that one. */
  ended(signal: NodeJS.Signals): Ended | undefined {
    const at = this.#fault();
    const crumb = this.read();
    if (crumb?.damaged) return undefined;
    const last = this.#words.readUInt32LE(BREADCRUMB.words.calls);
    if (Number(at('number')) !== constants.signals[signal] || Number(at('calls')) !== last) return undefined;
    const code = Number(BigInt.asIntN(64, at('code')));
    // Calls on other threads have these from the harness.
    const others = this.trace()?.calls.filter(({ answer }) => answer === undefined).length ?? 0;
    const elsewhere = at('ownThread') === 0n && others === Number(crumb?.phase === PHASE.call) && !crumb?.inner;
    const isAccess = (signal === 'SIGSEGV' || signal === 'SIGBUS') && code > 0;
    const how = ACCESS[Number(at('access'))];
    const fault = { code, address: at('address'), how, stackPointer: at('stackPointer') };
    return { elsewhere, access: isAccess ? invalidAccess(fault, this.#lent()) : undefined };
  }

  #fault(): (name: FaultWord) => bigint {
    const { offset, words } = BREADCRUMB.fault;
    const record = Buffer.alloc(words.length * 8);
    readSync(this.#fd, record, 0, record.length, offset);
    return (name) => record.readBigUInt64LE(words.indexOf(name) * 8);
  }

  /** Whether a signal has come that will end the process, unless the plugin handles it. */
  get dying(): boolean {
    return this.#fault()('number') !== 0n;
  }

  /** Says what the process is to do for a debugger. */
  askFor(what: (typeof DEBUGGER)[keyof typeof DEBUGGER]): void {
    const { offset, words } = BREADCRUMB.fault;
    const word = Buffer.alloc(8);
    word.writeBigUInt64LE(what);
    writeSync(this.#fd, word, 0, word.length, offset + words.indexOf('debugger') * 8);
  }

  /** What the plugin was given in this process. */
  #lent(): Lent[] {
    const { offset, records, recordBytes, words } = BREADCRUMB.lent;
    const table = Buffer.alloc(records * recordBytes);
    readSync(this.#fd, table, 0, table.length, offset);
    const all = Array.from({ length: records }, (_, i): Lent => {
      const record = table.subarray(i * recordBytes, (i + 1) * recordBytes);
      const [from, to, address, length, state] = new BigUint64Array(
        record.buffer.slice(record.byteOffset, record.byteOffset + words * 8),
      );
      const name = record.toString('latin1', words * 8).replace(/\0.*$/s, '');
      return { from: from!, to: to!, address: address!, length: Number(length), name, now: state === 1n };
    });
    return all.filter(({ name }) => name !== '');
  }

  /** The last native calls of the running case, oldest first; undefined if there were none. */
  trace(): CallTrace | undefined {
    const crumb = this.read();
    if (!crumb || crumb.calls === 0) return undefined;
    const { offset, records, recordBytes } = BREADCRUMB.trace;
    const ring = Buffer.alloc(records * recordBytes);
    readSync(this.#fd, ring, 0, ring.length, offset);
    const last = this.#words.readUInt32LE(BREADCRUMB.words.calls);
    const kept = Math.min(crumb.calls, records);
    const calls = Array.from({ length: kept }, (_, i) => {
      const at = ((last - kept + i) >>> 0) % records;
      return this.#traced(ring.subarray(at * recordBytes, (at + 1) * recordBytes));
    });
    return { before: crumb.calls - kept, calls };
  }

  #traced(record: Buffer): TracedCall {
    const call = this.#name(record.readUInt32LE(0)) ?? 'unknown';
    const answer = this.#name(record.readUInt32LE(4));
    if (answer === undefined) return { call };
    const ms = record.readDoubleLE(8);
    return { call, answer, durationMs: ms >= 0 && ms < Infinity ? Math.round(ms * 1000) / 1000 : 0 };
  }

  /** The exit status as the system reports it: the lowest eight bits. */
  #exitStatus(): number | undefined {
    // What `uname` has written (worker/ffi/exit-note.ts).
    const mark = Buffer.alloc(5);
    readSync(this.#fd, mark, 0, mark.length, BREADCRUMB.exit.offset);
    return mark.toString('latin1') !== 'Linux' ? undefined : this.#words.readUInt8(BREADCRUMB.words.exitStatus + 2);
  }

  #inner(id: number, callbackId: number): Crumb['inner'] {
    const call = this.#name(id);
    return call === undefined ? undefined : { call, callback: this.#name(callbackId) ?? 'unknown' };
  }

  /** The function with that number, unless it has succeeded. */
  #untried(id: number): string[] {
    const name = this.#name(id);
    if (name === undefined) return [];
    const mark = Buffer.alloc(1);
    readSync(this.#fd, mark, 0, 1, BREADCRUMB.names.offset + (id + 1) * BREADCRUMB.names.entryBytes - 1);
    return mark[0] === 0 ? [name] : [];
  }

  #name(id: number): string | undefined {
    if (id === NO_CALL) return undefined;
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const { offset, entryBytes } = BREADCRUMB.names;
    const entry = Buffer.alloc(entryBytes - 1);
    readSync(this.#fd, entry, 0, entry.length, offset + id * entryBytes);
    const end = entry.indexOf(0);
    const name = entry.toString('latin1', 0, end < 0 ? entry.length : end);
    if (!/^[ -~]+$/.test(name)) return undefined;
    this.#names.set(id, name);
    return name;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

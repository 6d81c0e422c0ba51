import type { Caller } from '../../knowledge/abi/caller.ts';
import { Abi, expectedTableBytes, NEWEST_MINOR, OLDEST_MINOR, type StructLayout } from '../../knowledge/abi/index.ts';
import { type Arena, readBytes, viewMemory } from '../ffi/memory.ts';
import { Call, type Fill, type TakeError } from './call.ts';
import { CallerStructs } from './caller-structs.ts';
import { type Calls, elsewhere } from './calls.ts';
import { type Absence, AbsentError, ApiError, type ErrorPayload, PjrtError } from './errors.ts';
import type { Instrument } from './instrument.ts';
import { PayloadVisitor } from './payload-visitor.ts';
import { TEXT_LIMIT } from './strings.ts';
import { StructView } from './struct-view.ts';

/** Options of an argument block. */
interface BlockOptions {
  layout?: StructLayout | undefined;
  /** Handling of a returned error. */
  takeError?: TakeError | undefined;
  /** Pool between uses. */
  home?: Call[];
}

/** A live native object, as seen by its API. */
export interface LiveObject {
  /** `PJRT_Buffer` and the like. */
  readonly kind: string;
  /** Destroys the object once; later calls do nothing. */
  destroy(): void;
  /** The plugin has consumed the object: it must not be destroyed again. */
  disown(): void;
}

const TABLE_HEADER_BYTES = 40;

/** Bytes that are read of an error's message. */
const MESSAGE_READ = 1 << 20;

/**
 * The function table of one plugin and the way to call it. What the harness passes has the layouts of the version that it
 * acts as: by default the plugin's own, or the newest known one if the plugin is newer. What the plugin returns (arrays,
 * function tables, arguments of callbacks) always has the plugin's layouts.
 */
export class PjrtApi {
  readonly address: bigint;
  readonly version: { major: number; minor: number };
  readonly tableBytes: number;
  readonly extensionStart: bigint;
  /** Version that the harness acts as: layouts of what it passes. */
  readonly abi: Abi;
  /** The plugin's version, as far as it is known: layouts of what the plugin returns. */
  readonly pluginAbi: Abi;
  /** The consumer that the harness acts as. */
  readonly caller: Caller;
  readonly instrument: Instrument;
  /** Live handles, for leak checks. */
  readonly live = new Set<LiveObject>();
  readonly #table: DataView;
  /** Sizes and extensions of structs that the harness passes. */
  readonly structs: CallerStructs;
  /** Unused argument blocks by function. */
  readonly #idle = new Map<string, Call[]>();
  #visitor: PayloadVisitor | undefined;
  #payloadCall: Call | undefined;

  /** The plugin, by the name that the run has for it. */
  plugin: string | undefined;

  /** Reads the table's header. @throws ApiError for an unusable version, or an invalid table */
  constructor(address: bigint, instrument: Instrument, caller: Caller = {}) {
    this.address = address;
    this.instrument = instrument;
    this.caller = caller;
    const header = viewMemory(address, TABLE_HEADER_BYTES);
    this.tableBytes = Number(header.getBigUint64(0, true));
    this.extensionStart = header.getBigUint64(8, true);
    this.version = { major: header.getInt32(32, true), minor: header.getInt32(36, true) };
    const { major, minor } = this.version;
    if (major !== 0) {
      throw new ApiError(
        'major-version',
        `the plugin's PJRT C API is ${major}.${minor}; every framework accepts major version 0 only`,
      );
    }
    if (minor < OLDEST_MINOR) {
      throw new ApiError(
        'old-version',
        `the plugin's PJRT C API is 0.${minor}; the oldest that frameworks accept is 0.29, the oldest whose layout is stable is 0.${OLDEST_MINOR}`,
      );
    }
    this.pluginAbi = Abi.at(minor);
    this.abi = caller.minor === undefined ? this.pluginAbi : Abi.at(caller.minor);
    if (this.tableBytes < TABLE_HEADER_BYTES + 8) {
      throw new ApiError(
        'short-table',
        `PJRT_Api.struct_size is ${this.tableBytes}; a 0.${minor} table has ${Abi.at(minor).tableBytes} bytes, so no function can be used`,
      );
    }
    this.structs = new CallerStructs(caller, { complete: minor <= NEWEST_MINOR });
    this.#table = viewMemory(address, Math.min(Math.max(this.tableBytes, this.usableBytes), 64 * 1024));
  }

  /** The lower of both minors: anything newer does not exist between them. */
  get sharedMinor(): number {
    return Math.min(this.abi.minor, this.pluginAbi.minor);
  }

  /** Address in a function's slot, 0n if NULL, undefined if the slot is outside the table. */
  slot(name: string): bigint | undefined {
    const offset = this.pluginAbi.slotOffset(name);
    if (offset === undefined) return undefined;
    if (offset + 8 > this.usableBytes) return undefined;
    return this.#table.getBigUint64(offset, true);
  }

  /** A copy of the table, as far as it certainly exists: a plugin may declare more than its version has. */
  tableImage(): Uint8Array {
    const { minor } = this.version;
    const known = minor > NEWEST_MINOR ? this.tableBytes : Abi.at(minor).tableBytes;
    return readBytes(this.address, Math.min(this.tableBytes, known));
  }

  /** Whether a function can be called. */
  has(name: string): boolean {
    return (this.slot(name) ?? 0n) !== 0n && this.abi.slotOffset(name) !== undefined;
  }

  /** Why a function cannot be called; undefined if it can. */
  absence(name: string): AbsentError | undefined {
    const slot = this.slot(name);
    const absent = (why: Absence, words: string): AbsentError => new AbsentError(name, why, `${name} ${words}`);
    if (this.pluginAbi.slotOffset(name) === undefined) {
      return absent('not in this version', `is not in the plugin's API version 0.${this.version.minor}`);
    }
    if (slot === undefined) {
      return absent('past struct_size', `lies past the plugin's PJRT_Api.struct_size of ${this.tableBytes}`);
    }
    if (this.abi.slotOffset(name) === undefined) {
      return absent('not in this version', `is not in API 0.${this.abi.minor}, as which the harness acts`);
    }
    return slot === 0n ? absent('NULL', "is NULL in the plugin's table") : undefined;
  }

  /** @throws AbsentError with the reason if the function cannot be called */
  demand(name: string): bigint {
    const absent = this.absence(name);
    if (absent) throw absent;
    return this.slot(name)!;
  }

  /** Takes an argument block of a function, zeroed and with struct_size set; `finish` returns it. @throws AbsentError */
  begin(name: string): Call {
    let idle = this.#idle.get(name);
    if (!idle) {
      idle = [];
      this.#idle.set(name, idle);
    }
    const call = idle.pop() ?? this.block(name, { home: idle });
    call.reset();
    return call;
  }

  /** A new argument block of a function. Blocks are never freed, so the caller should keep it. @throws AbsentError */
  block(name: string, how: BlockOptions = {}): Call {
    // First, so that a missing function is reported as such.
    const address = this.demand(name);
    return new Call(name, how.layout ?? this.abi.argsOf(name), address, this.instrument, {
      // After a void function, the return register is not an error.
      takeError: this.abi.returnType(name) === 'void' ? undefined : (how.takeError ?? this.takeError),
      // A caller with its own layout declares exactly that.
      structs: how.layout ? undefined : this.structs,
      home: how.home,
    });
  }

  finish(call: Call): void {
    call.home.push(call);
  }

  /**
   * Fills, runs and reads one call.
   * @throws PjrtError, AbsentError
   */
  invoke<T = void>(name: string, fill: Fill, read?: (call: Call) => T): T {
    const call = this.begin(name);
    try {
      call.fill(fill);
      call.run();
      return (read ? read(call) : undefined) as T;
    } finally {
      this.instrument.breadcrumb?.idle();
      this.finish(call);
    }
  }

  /** Like `invoke`, on another thread: for calls that may wait for a callback into JavaScript. */
  invokeAsync<T = void>(name: string, fill: Fill, read?: (call: Call) => T): Promise<T> {
    return elsewhere(this.calling(name, fill, read));
  }

  /** Like `invoke`, on whatever thread. */
  *calling<T = void>(name: string, fill: Fill, read?: (call: Call) => T): Calls<T> {
    const call = this.begin(name);
    try {
      call.fill(fill);
      yield call;
      return (read ? read(call) : undefined) as T;
    } finally {
      this.instrument.breadcrumb?.idle();
      this.finish(call);
    }
  }

  /** Layout of a struct that the harness passes. */
  struct(name: string): StructLayout {
    return this.abi.struct(name);
  }

  /** Layout of a struct that the plugin returns. */
  pluginStruct(name: string): StructLayout {
    return this.pluginAbi.struct(name);
  }

  /** Reads a struct that the plugin owns. `bytes` is the readable size. */
  view(name: string, address: bigint, bytes?: number): StructView {
    const layout = this.pluginStruct(name);
    const copy = new Uint8Array(layout.size);
    copy.set(readBytes(address, Math.min(bytes ?? layout.structSize, layout.size)));
    return new StructView(layout, new DataView(copy.buffer));
  }

  /** A zeroed struct in native memory, with its size declared. */
  make(arena: Arena, name: string, count = 1): { address: bigint; at(i: number): StructView } {
    const layout = this.struct(name);
    // Elements of an array are sizeof apart: no caller can make them longer than the plugin assumes.
    const extra = count === 1 ? this.structs.extraBytes(layout) : 0;
    const block = this.structs.allocate(arena, layout.size * count + extra, name);
    const at = (i: number) => new StructView(layout, block.view, i * layout.size);
    for (let i = 0; i < count; i++) at(i).reset(this.structs.declared(layout, extra));
    return { address: block.address, at };
  }

  /** Reads, checks and destroys a returned error. */
  takeError = (error: bigint, from: string): PjrtError => {
    let code = -1;
    let text = '';
    const breach = (requirement: string, message: string, level: 'must' | 'should' = 'must') =>
      this.instrument.onFinding({
        type: 'pjrt.ErrorContract',
        level,
        message,
        call: from,
        requirements: [requirement],
      });
    try {
      code = this.invoke('PJRT_Error_GetCode', { error }, (call) => call.int('code'));
    } catch (cause) {
      if (!(cause instanceof AbsentError)) throw cause;
      breach('ERR-CODE-001', `${from} returned an error, but ${cause.message}`);
    }
    const name = this.abi.enumNames('PJRT_Error_Code').get(code);
    if (code < 1 || code > 16) {
      breach('ERR-CODE-001', `${from} returned an error whose code is ${code}; codes are 1 to 16`);
    }
    const { message, size } = this.#message(error);
    if (size > BigInt(TEXT_LIMIT)) {
      breach('ERR-MSG-001', `${from} returned an error whose message has ${size} bytes, which no message has`);
    } else if (!message || message.length === 0) {
      breach('ERR-MSG-002', `${from} returned an error without a message`, 'should');
    } else {
      text = new TextDecoder('utf-8').decode(message);
      const omitted = Number(size) - message.length;
      if (omitted > 0) text += ` … [${omitted} bytes omitted]`;
      if (text.includes('\ufffd') && !isUtf8(message)) {
        breach('ERR-MSG-002', `the message of an error of ${from} is not valid UTF-8`, 'should');
      }
    }
    const payloads = this.#readPayloads(error);
    if (this.has('PJRT_Error_Destroy')) this.invoke('PJRT_Error_Destroy', { error });
    const codeName = name?.replace('PJRT_Error_Code_', '') ?? `code ${code}`;
    this.instrument.answered(from, codeName);
    const failure = new PjrtError(from, code, codeName, text, payloads);
    failure.plugin = this.plugin;
    return failure;
  };

  /** Bytes of an error's message, undefined if the pointer is NULL or the size impossible; of a long one its beginning. */
  #message(error: bigint): { message?: Uint8Array; size: bigint } {
    if (!this.has('PJRT_Error_Message')) return { size: 0n };
    return this.invoke('PJRT_Error_Message', { error }, (call) => {
      const [pointer, size] = [call.word('message'), call.word('message_size')];
      if (pointer === 0n || size > BigInt(TEXT_LIMIT)) return { size };
      return { message: readBytes(pointer, Math.min(Number(size), MESSAGE_READ)), size };
    });
  }

  #readPayloads(error: bigint): ErrorPayload[] {
    if (!this.has('PJRT_Error_ForEachPayload')) return [];
    this.#visitor ??= new PayloadVisitor();
    this.#visitor.reset();
    // An error here must not be read by querying its payloads, and so on until the stack overflows, as in XLA's client.
    this.#payloadCall ??= this.block('PJRT_Error_ForEachPayload', {
      takeError: () => new Error('PJRT_Error_ForEachPayload failed'),
    });
    const call = this.#payloadCall;
    call.reset();
    call.set({ error, visitor: this.#visitor.address });
    try {
      call.run();
    } catch {
      // The same for every error, so errors/contract reports it once instead of every case with an error.
    }
    return this.#visitor.payloads();
  }

  /**
   * Bytes of the table that can be used. Headers from 0.35 and 0.40 to 0.56 declared too small a table; there the version
   * decides which slots exist.
   */
  get usableBytes(): number {
    const { minor } = this.version;
    const real = Abi.at(minor).functions.length * 8 + TABLE_HEADER_BYTES;
    return expectedTableBytes(minor).includes(this.tableBytes) && this.tableBytes < real ? real : this.tableBytes;
  }
}

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** What the bodies of records say. */
import { ENDINGS, FORMS, KIND, type Memory, RECORD_HEAD, ROLES, type Role, type TraceRecord, WHAT } from './format.ts';
import type { PieceCursor } from './segment.ts';
import { TraceError } from './trace-error.ts';

/** Reads one value after the other. */
class Body {
  #at = 0;
  readonly #bytes: Buffer;
  readonly #record: TraceRecord;

  constructor(record: TraceRecord) {
    this.#bytes = record.body;
    this.#record = record;
  }

  get rest(): number {
    return this.#bytes.length - this.#at;
  }

  u16 = (): number => this.#taken(2).readUInt16LE(0);
  u32 = (): number => this.#taken(4).readUInt32LE(0);
  u64 = (): bigint => this.#taken(8).readBigUInt64LE(0);
  i64 = (): bigint => this.#taken(8).readBigInt64LE(0);
  bytes = (count: number): Buffer => this.#taken(count);
  text = (count: number): string => this.#taken(count).toString('utf8');
  pad = (): void => {
    this.#at = Math.min((this.#at + 7) & ~7, this.#bytes.length);
  };

  memory(): Memory[] {
    const found: Memory[] = [];
    while (this.rest >= 24) {
      const address = this.u64();
      const bytes = Number(this.u64());
      const [form, what] = [FORMS[this.bytes(1)[0]!], WHAT[this.bytes(1)[0]!]];
      this.bytes(2);
      const data = this.bytes(this.u32());
      this.pad();
      if (form === undefined || what === undefined) throw this.#wrong('memory of an unknown form');
      const named = form === 'blob' || form === 'hash';
      const kept = named ? { name: data.toString('hex') } : form === 'inline' ? { data } : {};
      found.push({ address, bytes, form, what, ...kept });
    }
    return found;
  }

  #taken(count: number): Buffer {
    if (count > this.rest) throw this.#wrong(`${count} bytes are missing`);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  #wrong = (what: string): TraceError => TraceError.in(this.#record, `${what}; the trace is damaged`);
}

/** Names of functions by number. */
export function namesIn(record: TraceRecord): string[] {
  const body = new Body(record);
  return Array.from({ length: Math.min(Number(body.u64()), 65536) }, () => body.text(body.u16()));
}

/** A plugin that is recorded. */
export interface RecordedPlugin {
  number: number;
  path: string;
  major: number;
  minor: number;
  tableBytes: number;
  /** The version whose layouts the recorder has used. */
  layoutMinor: number;
  /** Extensions; `unseen`: functions that could not be recorded, -1 for all. */
  extensions: { type: number; bytes: number; unseen: number }[];
}

export function pluginIn(record: TraceRecord): RecordedPlugin {
  const body = new Body(record);
  const [major, minor] = [body.u32(), body.u32()];
  const tableBytes = Number(body.u64());
  const layoutMinor = body.u32();
  const path = body.text(body.u32());
  body.pad();
  const count = Math.min(Number(body.u64()), 65536);
  const extensions = Array.from({ length: count }, () => ({
    type: body.u32() | 0,
    bytes: body.u32(),
    unseen: Number(body.i64()),
  }));
  return { number: record.plugin, path, major, minor, tableBytes, layoutMinor, extensions };
}

/** A call that begins. */
interface Entered {
  /** Where the caller's args struct is. */
  address: bigint;
  args: Buffer;
  memory: Memory[];
}

export function enteredIn(record: TraceRecord): Entered {
  const body = new Body(record);
  const address = body.u64();
  const args = body.bytes(record.argumentBytes);
  body.pad();
  return { address, args, memory: body.memory() };
}

/** An error that a call gave, or a callback got. */
interface RecordedError {
  code: number;
  message: string;
}

/** An error with the address of its object, or 0. */
interface GivenError {
  handle: bigint;
  error: RecordedError | undefined;
}

/** A call that has returned. */
interface Left extends GivenError {
  args: Buffer;
  memory: Memory[];
}

export function leftIn(record: TraceRecord): Left {
  const body = new Body(record);
  const given = errorIn(body);
  const args = body.bytes(record.argumentBytes);
  body.pad();
  return { ...given, args, memory: body.memory() };
}

/** Whether a call gave no error, and so nothing that a summary needs. */
export const isSuccess = ({ bytes, at, next }: PieceCursor): boolean => {
  const body = at + RECORD_HEAD;
  return body + 8 <= next && bytes.readUInt32LE(body) === 0 && bytes.readUInt32LE(body + 4) === 0;
};

function errorIn(body: Body): GivenError {
  const handle = body.u64();
  const code = body.u32();
  const message = body.text(body.u32());
  body.pad();
  return { handle, error: handle === 0n ? undefined : { code, message } };
}

/** A callback of the caller that the plugin calls. */
export function callbackIn(record: TraceRecord): GivenError & { callback: bigint; userArg: bigint } {
  const body = new Body(record);
  return { callback: body.u64(), userArg: body.u64(), ...errorIn(body) };
}

/** Bytes of host data that a call gives, without an object for each memory of it. */
export function hostBytesIn(record: PieceCursor): number {
  const { bytes, next } = record;
  let given = 0;
  let at = record.at + RECORD_HEAD + whole(8 + record.argumentBytes);
  for (; at + 24 <= next; at += 24 + whole(bytes.readUInt32LE(at + 20)))
    if (bytes[at + 17] === HOST_DATA) given += Number(bytes.readBigUInt64LE(at + 8));
  // It says what is missing.
  if (at > next) enteredIn(record.record());
  return given;
}
/** Bytes with the zeros behind them; of damaged records they may be more than 32 bits hold. */
const whole = (bytes: number): number => 8 * Math.ceil(bytes / 8);
const HOST_DATA = WHAT.indexOf('host data');

/** What a call has read into memory of the host. */
export const dataIn = (record: TraceRecord): Memory | undefined => new Body(record).memory()[0];

/** Contents of a buffer, row-major and without gaps. */
export interface Contents {
  buffer: bigint;
  role: Role;
  device: number;
  index: number;
  /** PJRT_Buffer_Type. */
  type: number;
  dims: number[];
  /** Undefined: they could not be read. */
  data: Memory | undefined;
}

export function contentsIn(record: TraceRecord): Contents {
  const body = new Body(record);
  const buffer = body.u64();
  const [role, device, index, type, rank, missing] = [
    body.u32(),
    body.u32(),
    body.u32(),
    body.u32(),
    body.u32(),
    body.u32(),
  ];
  const dims = Array.from({ length: Math.min(rank, 64) }, () => Number(body.i64()));
  const [data] = missing === 0 ? body.memory() : [];
  return { buffer, role: ROLES[role] ?? 'view', device, index, type, dims, data };
}

/** Why the recording of a process ended, in words. */
export const endIn = (record: TraceRecord): string =>
  ENDINGS[new Body(record).u32()] ?? 'for a reason of a later version';

/** What the recorder asked the plugin of an executable. */
export function executableIn(record: TraceRecord): { loaded: bigint; results: number; name: string } {
  const body = new Body(record);
  const [loaded, results] = [body.u64(), Number(body.u64())];
  return { loaded, results, name: body.text(Number(body.u64())) };
}

/** Names of the files of `blobs` that a record has memory in. */
export function blobsIn(record: TraceRecord): string[] {
  return memoryIn(record).flatMap(({ form, name }) => (form === 'blob' && name !== undefined ? [name] : []));
}

function memoryIn(record: TraceRecord): readonly Memory[] {
  if (record.kind === KIND.enter) return enteredIn(record).memory;
  if (record.kind === KIND.leave) return leftIn(record).memory;
  const only =
    record.kind === KIND.data ? dataIn(record) : record.kind === KIND.contents ? contentsIn(record).data : undefined;
  return only ? [only] : [];
}

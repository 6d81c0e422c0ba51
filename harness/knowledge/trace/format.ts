/** The format of traces, as the recorder writes it (plugins/recorder/trace.cc) and docs/record.md describes it byte by byte. */

/** Name of the format in manifest.json. */
export const TRACE_FORMAT = 'pjrt-conformance-trace';
/** Readers refuse another major version; a higher minor one has more, which they leave out. */
export const TRACE_MAJOR = 1;
export const TRACE_MINOR = 1;

/** What a segment begins with. */
export const SEGMENT_MAGIC = 'PJRTREC\n';
/** Bytes before the first piece. */
export const SEGMENT_HEAD = 64;
/** Bytes of a unit, of which pieces have one or several. */
export const UNIT = 65536;
/** `PIEC`, with which a piece begins. */
export const PIECE_MARK = 0x43454950;
export const PIECE_HEAD = 32;
export const RECORD_HEAD = 48;

/** Kinds of records. */
export const KIND = {
  names: 1,
  plugin: 2,
  enter: 3,
  leave: 4,
  callbackEnter: 5,
  callbackLeave: 6,
  data: 7,
  contents: 8,
  end: 9,
  executable: 10,
} as const;

/** Whose contents a record has, by number. */
export const ROLES = ['argument', 'result', 'view'] as const;
export type Role = (typeof ROLES)[number];

/** Why a recording ended, by number. */
export const ENDINGS = ['the process ended', '--max-size was reached'] as const;

/** What memory is, by number. */
export const WHAT = ['arguments', 'host data', 'program', 'extension'] as const;
type What = (typeof WHAT)[number];

/** Forms of memory, by number: its bytes, a file of `blobs`, only the name that the file would have, nothing. */
export const FORMS = ['inline', 'blob', 'hash', 'none'] as const;
type Form = (typeof FORMS)[number];

/** A record whose checksum is right. */
export interface TraceRecord {
  kind: number;
  /** Number in the list of names. */
  function: number;
  /** The thread's number in the system. */
  thread: number;
  /** From 1 on, in the order of all threads of the process. */
  order: number;
  /** Nanoseconds since the recording began in this process. */
  time: number;
  /** Order of the record that this one belongs to; 0: none. */
  of: number;
  plugin: number;
  /** Bytes of the args struct. */
  argumentBytes: number;
  /** What follows the head. */
  body: Buffer;
  /** Where it is, for messages: the path of the segment, and the byte in it. */
  file: string;
  at: number;
}

/** Memory that a record has. */
export interface Memory {
  address: bigint;
  bytes: number;
  form: Form;
  what: What;
  /** The bytes themselves, or for `blob` and `hash` the name in hexadecimal digits. */
  data?: Buffer;
  name?: string;
}

/**
 * The breadcrumb: one mapped file without a name per worker, written before and after every native call, read by the parent at any time,
 * also after SIGKILL. Little-endian 32-bit words, then the last calls, then a table of names, then a part that only `exit`
 * writes, then what a signal handler writes, and what the worker has lent to the plugin.
 */
export const BREADCRUMB = {
  magic: 0x504a5254,
  /** Descriptor of the file in a new worker, behind those of WORKER_STDIO. */
  descriptor: 5,
  bytes: 64 * 1024,
  /** Offset and size of what is written when the process calls `exit`: pages of its own, whatever their size. */
  exit: { offset: 64 * 1024, bytes: 64 * 1024 },
  /** The last signal that ended the process, or would have (faults.c): words of 64 bits. `debugger` is one of {@link DEBUGGER}. */
  fault: {
    offset: 128 * 1024,
    words: ['number', 'code', 'address', 'access', 'stackPointer', 'ownThread', 'calls', 'debugger'],
  },
  /**
   * Memory that the plugin was given, each between two inaccessible zones. Words of 64 bits: where the first zone begins and
   * the second ends, the address of the memory, its length, 1 while it is lent and 2 after that; then its name.
   */
  lent: { offset: 192 * 1024, records: 2048, recordBytes: 128, words: 5 },
  fileBytes: 448 * 1024,
  /** Byte offsets of the words. */
  words: {
    magic: 0,
    /** Run-order number of the running case, or of the last one; 0 before the first. */
    caseNumber: 4,
    /** Line of the step in the suite file. */
    line: 8,
    /** Index into the name table. */
    call: 12,
    phase: 16,
    /** Native calls started so far (wraps). */
    calls: 20,
    /** Name index of an asynchronous call that has not returned; 0xffffffff if none. */
    pending: 24,
    /** 1 if the worker has found its message channel closed by the plugin. */
    closed: 28,
    /** 1 if the worker exits because it was asked to. */
    leaving: 32,
    /** Number of native calls that had been started when the running case began. */
    callsBefore: 36,
    /** Result of `srand48_r` with the status given to `exit`: 24 bytes, of which two 16-bit halves are the status. */
    exitStatus: 40,
    /** Name indices of a call that a callback is making, and of what the callback was given to; 0xffffffff if none. */
    inner: 64,
    callback: 68,
    /** How many calls are in progress that the plugin must refuse. */
    wrong: 72,
    /** How many of these the running case has begun. */
    refusals: 76,
  },
  wordBytes: 80,
  /**
   * The last native calls, a ring: index of the name, index of the answer (0xffffffff: not returned), milliseconds as a
   * double. Call number `n` has the record `n % records`; `records` is a power of two.
   */
  trace: { offset: 1024, records: 64, recordBytes: 16 },
  /** The last byte of an entry is 1 once a call of that name has succeeded. */
  names: { offset: 4096, entryBytes: 120 },
} as const;

/** What the parent asks of a worker for the sake of a debugger. */
export const DEBUGGER = {
  nothing: 0n,
  /** That one may attach. */
  mayAttach: 1n,
  /** That too, and that the process waits when a signal ends it, until this value is replaced. */
  waits: 2n,
} as const;

/** What the worker is doing. */
export const PHASE = {
  /** The harness's own code. */
  harness: 0,
  /** Inside the native call. */
  call: 1,
  /** The call has returned; the harness reads memory that the plugin pointed to. */
  reading: 2,
} as const;

export type Phase = (typeof PHASE)[keyof typeof PHASE];

export const NO_CALL = 0xffffffff;
export const MAX_CALL_NAMES = Math.floor((BREADCRUMB.bytes - BREADCRUMB.names.offset) / BREADCRUMB.names.entryBytes);

/**
 * The native calls of a process as lines of JSON, in the order in which they happen: what `export` writes as C. Written before
 * each call, so that a death loses nothing. Addresses are hexadecimal, bytes base64.
 */
export type RecordedLine =
  | BlockLine
  | CallLine
  | LeaveLine
  | FunctionLine
  | CallbackLine
  | FiringLine
  | FindingLine
  | ComparisonLine
  | GrowthLine
  | TableLine
  /** Of a growth that is measured, the first two rounds; the others are not recorded. */
  | { k: 'round' }
  | { k: 'expects'; call: string; error: string }
  /** Memory of a block is read; its number, by which comparisons name it. */
  | { k: 'taken'; id: number; number: number; bytes: string }
  /**
   * It is loaded: what its tables are like, where they can be read. A function of the C library, getpid, is what it is given
   * where any function will do.
   */
  | { k: 'plugin'; minor: number; harmless: string; tables?: { text: string; bytes: number } }
  | { k: 'case'; edge: 'begin' | 'end' }
  /** Something that is no call, in words for people. */
  | { k: 'beyond'; what: string };

/** Memory of the caller: new, or with other contents than before. */
export interface BlockLine {
  k: 'block';
  id: number;
  at: string;
  bytes: string;
}

/** A call begins. */
export interface CallLine {
  k: 'call';
  n: number;
  /** A function of the C API, or `Extension.function`. */
  name: string;
  /** On this thread; on another, at the same time as others; or prepared for a callback, which makes it. */
  where: 'here' | 'elsewhere' | 'inside';
  /** Address of the argument block, and what is in it. */
  at: string;
  bytes: string;
  /** Blocks that it leads to, of those the plugin writes. */
  written: number[];
}

/** A call has returned. */
export interface LeaveLine {
  k: 'leave';
  n: number;
  /** What it returned: an error, or 0. */
  answer: string;
  bytes: string;
  /** What the outputs lead to, by field: memory of the plugin. */
  memory: Record<string, string>;
  /** Blocks of the caller that have changed. */
  blocks: Record<number, string>;
}

/** A call of a function that a call has returned, such as a deleter. */
export interface FunctionLine {
  k: 'function';
  name: string;
  at: string;
  arguments: string[];
}

/** A function of an error's own table is called, with the error; a death may come between the two edges. */
export interface TableLine {
  k: 'table';
  edge: 'begin' | 'end';
  slot: 'get_code' | 'message' | 'destroy';
  error: string;
  code?: number;
  /** Of the message, whose bytes may be missing. */
  size?: number;
  message?: string;
}

/** What may not grow in every phase of so many rounds: before the first round, and after the last. */
export interface GrowthLine {
  k: 'growth';
  edge: 'begin' | 'end';
  rounds: number;
  phases: number;
  /** Growth of a phase that proves nothing, of what is watched. */
  limits: Readonly<Record<string, number>>;
  /** What grew, as the finding says it. */
  what?: string;
}

/** A function of the caller for the plugin: it counts its calls, and makes prepared ones, by the addresses of their arguments. */
export interface CallbackLine {
  k: 'callback';
  at: string;
  calls: string[];
  /** Why it can't be written in C; undefined where it can. */
  beyond?: string;
}

/** A callback was called; noticed some time later. */
export interface FiringLine {
  k: 'firing';
  at: string;
  arguments: string[];
}

export interface FindingLine {
  k: 'finding';
  type: string;
  level: 'must' | 'should' | 'info';
  message: string;
  call?: string;
  calls?: string[];
  requirements: string[];
  /** The error code of the call, if that is what is wrong. */
  code?: string;
  /** As findings have them. */
  extension?: string;
  place?: 'home' | 'shared';
  otherForm?: true;
  /** What the plugin had written into blocks by then. */
  blocks: Record<number, string>;
  /** Memory of the plugin to which an output had led, and which was something else by then. */
  changed: { n: number; field: string }[];
}

/** An array of the plugin was compared with the one that it should be. */
export interface ComparisonLine {
  k: 'comparison';
  /** Number of the memory that was read; undefined if the array was made of several. */
  of?: number;
  what: string;
  dtype: string;
  shape: number[];
  expected: string;
  actual: string;
  /** The most that was allowed for any element. */
  ulp: number;
  atol: number;
  /** Whether a zero of the other sign is another number. */
  signedZeros: boolean;
  ok: boolean;
}

/** A loaded and expanded suite: pure data, sent to workers unchanged. */
import type { Compare, Data, Reference } from '../knowledge/numerics/data.ts';
import type { Placement } from '../knowledge/numerics/pieces.ts';

export type { Compare, Data } from '../knowledge/numerics/data.ts';

/** Level of a requirement. A violated MUST fails the run, a violated SHOULD warns, MAY and OPT cannot fail by absence. */
export type Level = 'must' | 'should' | 'may' | 'opt';

/** A matrix value of a parameter. Shapes are integer lists; null is a null pointer. */
export type ParamValue = string | number | boolean | null | readonly number[];

/** Preconditions of a case; unmet ones make it `unsupported` with the reason, never a pass. */
export interface Requires {
  /** Functions that must be inside the plugin's table and non-NULL, e.g. `PJRT_Buffer_Bitcast`. */
  functions?: string[];
  /** Extensions by enum suffix, e.g. `Layouts`. */
  extensions?: string[];
  /** Lowest minor version of the C API. */
  api?: number;
  /** Addressable devices. */
  devices?: number;
  /** Addressable memories of the first device. */
  memories?: number;
  /** Number of plugins loaded in the process (coexistence suites need 2). */
  plugins?: number;
  /** Element types that the plugin must support (tested once per client by a transfer). */
  dtypes?: string[];
  /** Shapes that the plugin must support; those with a dimension of zero are tested once per client. */
  shapes?: number[][];
  /** Keys that the plugin's manifest must have, e.g. `topology`. */
  manifest?: string[];
  /** Options of the client that the plugin's manifest must know, e.g. `num_nodes`. */
  options?: string[];
}

/** Milliseconds; default: that of the run. */
export interface Deadline {
  call?: number;
  case?: number;
}

/**
 * The process of a case. `worker`: shared with other harmless cases. `quarantine`: shared with other cases that may harm it,
 * as long as each passes; what does not pass after others is repeated in a process of its own. `process`: its own.
 */
export type Isolation = 'worker' | 'quarantine' | 'process';

/** One runnable case: matrix expanded, parameters substituted. */
export interface Case {
  /** `suite/path:name[k=v,…]`, stable, unique, at most 250 characters. */
  id: string;
  suite: string;
  name: string;
  params: Record<string, ParamValue>;
  /** Path of the suite file as given to the loader, and the 1-based line where the case begins. */
  file: string;
  line: number;
  title: string;
  covers: string[];
  /** Highest level in `covers`, unless the case sets another. */
  level: Level;
  /** Level of each requirement in `covers`: a finding has the level of what it violates. */
  levels: Record<string, Level>;
  /** Functions that every plugin offers: UNIMPLEMENTED is no excuse for them in this case. */
  demands?: string[];
  tags: string[];
  requires: Requires;
  isolation: Isolation;
  /**
   * `shared`: uses the worker's client. `own`: creates clients itself. `none`: needs no client and no device (the no-device
   * profile runs these).
   */
  client: 'shared' | 'own' | 'none';
  /** Whether programs that the case compiles unchanged for the shared client may have been compiled by an earlier case. */
  programs?: 'shared';
  /** It may need more than the plugin has, as a program of the user: then running out of it is no violation. */
  mayExhaust?: true;
  deadline: Deadline;
  /** The ids of the cases that it runs together; what they bind has names of their own (member-names.ts). */
  members?: string[];
  steps: Step[];
}

/** Names bound before the first step. `plugins` and `clients` are lists, one entry per loaded plugin. */
export const RUNNER_BINDINGS = [
  'plugin',
  'plugins',
  'client',
  'clients',
  'device',
  'devices',
  'all_devices',
  'descriptions',
  'memory',
  'memories',
  'topology',
  'expected_platform',
] as const;

/** Expected answer of a native call. `any`: some error. A name: that code. The object form splits MUST, SHOULD and habit. */
export type ExpectedError =
  | string
  | {
      must: 'any' | string;
      should?: string;
      usual?: string;
      or?: 'success';
      message?: string;
      mention?: string;
      payload?: Record<string, string>;
    };

/**
 * Arguments of a `call`, by field name of the args struct, in the value language of docs/writing-suites.md. The field that
 * counts a string or array is filled in.
 */
type CallArguments = Record<string, unknown>;

export type StepBody =
  | { verb: 'data'; as: string; data: Data }
  /** What a committed program takes and gives: `{name: fact}`. */
  | { verb: 'program'; name: string; as: Record<string, ProgramFact> }
  /** A module that holds a program, its inputs and its results; `path` is relative to the file of the case. */
  | {
      verb: 'recorded';
      path: string;
      /** Which test, if the file has several, and of those of one name which, from 1. */
      function?: string;
      occurrence?: number;
    }
  | {
      verb: 'put';
      as: string;
      /** An array, or a reference to a list of arrays: then a list of buffers is bound. */
      data: Data;
      /** A device or a memory; default: the first addressable device of the client. */
      on?: Reference;
      /** Not in the language: each device gets a piece of the array, and a list of buffers is bound. */
      pieces?: Placement;
      /** Default: the shared client of the first plugin. */
      client?: Reference;
      semantics?: 'during-call' | 'until-transfer-completes' | 'zero-copy' | 'mutable-zero-copy';
      /** Minor-to-major order of the host array in memory (byte strides are computed); default: dense row-major. */
      order?: number[];
      /** Explicit byte strides, overriding `order`. */
      strides?: number[];
      /** The requested device layout, by minor-to-major order or by byte strides. */
      layout?: Order | 'none' | { strides: number[] };
      overwritten?: true;
      /** `false`: nothing is waited for, neither the transfer nor the buffer. */
      wait?: false;
      /** Bytes by which the host memory is off a multiple of 64. */
      misaligned?: number;
      /** The host memory is overwritten as soon as the semantics allow it. */
      reused?: true;
      /** The host memory that the plugin was given. */
      host?: string;
      /** The event that says that the plugin no longer needs the host memory. */
      done?: string;
      error?: ExpectedError;
    }
  | {
      verb: 'get';
      /** The array, with its own type and dimensions in whatever order it arrives; a list of them for a list of buffers. */
      as?: string;
      buffer: Reference;
      /** `copy` (default), `address`: the memory of the buffer is read in place, or `raw`: by raw copies. */
      from?: 'copy' | 'address' | 'raw';
      /** Bytes of the buffer at which raw copies begin, ascending, besides the first; default: one copy of all. */
      parts?: number[];
      /** The host layout that is asked for; `source`: none is sent; `own`: the one that the buffer reports. Default: row-major. */
      layout?: Order | 'source' | 'own';
      /** In which order the array arrives, if that is not `layout`. Default for `source`: the order that the buffer reports. */
      order?: Order;
      /** Bytes by which the destination is larger than the array; negative: smaller. */
      extra?: number;
      /** The event of the copy, for `steps`. */
      event?: string;
      /** What happens while the copy is in progress. */
      steps?: Step[];
      /** Not in the language: the buffers of all devices are pieces of a whole array, which is bound. */
      pieces?: Pieces;
      overwritten?: true;
      error?: ExpectedError;
    }
  /** How many rounds a loop may have: what this plugin makes in reasonable time, but at most so many. */
  | { verb: 'rounds'; as: string; atMost: number }
  /** A buffer, or an event, that has no contents, or is not ready, before a `complete`. */
  | {
      verb: 'pending';
      via: PendingVia;
      as: Record<string, PendingFact>;
      /** The contents that the buffer gets; default: 4 f32. */
      contents?: Data;
      /** In how many pieces they come; default: one. */
      pieces?: number;
      /** The buffer that it is made of, ready or not, which has these contents. */
      of?: Reference;
      /** The device of the buffer; default: the first. */
      on?: Reference;
    }
  /** `piece`: only that piece of the contents, counted from 0. */
  | { verb: 'complete'; of: Reference; piece?: number; error?: { code: string; message: string } }
  /** A callback of an event. */
  | { verb: 'listen'; to: Reference; as: string }
  /** How often the callback must have been called by now (0 or 1), and with the error of which code, or any. */
  | { verb: 'heard'; by: Reference; times: number; error?: string; message?: string }
  /** An array at an address, of the type and shape of another. */
  | { verb: 'read'; address: Reference; like: Reference; as: string }
  /** What serialized bytes say: `{name: fact}`. */
  | { verb: 'decode'; of: Reference; message: Message; as: Record<string, MessageFact> }
  /** What a buffer reports about its memory: `{name: fact}`. */
  | { verb: 'layout'; buffer: Reference; as: Record<string, 'minor_to_major' | 'num_tiles'> }
  | {
      verb: 'compile';
      as?: string;
      /** Default: the shared client of the first plugin. */
      client?: Reference;
      /**
       * Compile for this topology (PJRT_Compile), which gives a PJRT_Executable that is not loaded. A client is passed only
       * if named.
       */
      topology?: Reference;
      /** Name of a committed program, e.g. `elementwise/add_f32_4`. */
      program?: string;
      /** Program text written in the suite itself (always sent as text). */
      text?: string;
      /** `portable` (default): the newest artifact that the plugin accepts. `text`: StableHLO text. */
      format?: 'portable' | 'text';
      /** An exact StableHLO version of the artifact instead of the newest acceptable one. */
      version?: string;
      options?: CompileOptions;
      overwritten?: true;
      error?: ExpectedError;
    }
  | {
      verb: 'execute';
      /** One name an output, or one name for the list of all outputs. */
      as?: string[] | string;
      executable: Reference;
      /** The buffers, or a reference to a list of them. */
      args?: Reference[] | Reference;
      /** Not in the language: the shapes of the arguments, where the compiler may have cut parameters in another way. */
      cut?: number[][];
      /** One argument list a device, instead of `args`; every output is then bound as a list, one buffer a device. */
      lists?: Reference[][];
      device?: Reference;
      nonDonatable?: number[];
      launchId?: number;
      /** Other fields of PJRT_ExecuteOptions, written as in `call`; `struct_size` sends an older struct. */
      options?: CallArguments;
      /** Request device_complete_events and await them (default true). */
      events?: boolean;
      /** The completion event, which is then not awaited; with `lists` the list of them. */
      completion?: string;
      /** The lists that the call writes are checked. */
      checked?: true;
      /** What happens while the call, made on another thread, may be waiting for its arguments. */
      steps?: Step[];
      overwritten?: true;
      error?: ExpectedError;
    }
  | {
      verb: 'call';
      function: string;
      /** The plugin to call; default: the one that the handles in `with` belong to, else the first. */
      plugin?: Reference;
      with?: CallArguments;
      /** Output fields to bind: `{name: field}`. Strings, lists and handles are decoded. */
      as?: Record<string, string>;
      /** Checks on output fields, by field name (same predicates as `expect`). */
      expect?: Record<string, Predicate>;
      error?: ExpectedError;
      /** The call must fail: the name for its error, which is neither read nor destroyed. */
      unread?: string;
      /** Output fields that must be unchanged or NULL after the call failed. */
      untouched?: string[];
      /** Overrides args.struct_size. */
      structSize?: number;
      /** The same question, asked again, has the same answer, and the memory of the first answer keeps it. */
      stable?: true;
      /** All memory that is passed to the call is overwritten as soon as it returns. */
      overwritten?: true;
    }
  /** A function with arguments that nobody can object to, in its usual form or, after that, in another. */
  | {
      verb: 'valid-call';
      function: string;
      /** Outputs are poisoned, and inputs compared. */
      fields?: 'checked';
      /** The size of the args struct. */
      struct?: 'larger' | 'padded' | 'two-words' | 'cut-off' | 'older';
      /** Extensions of unknown types, or the one that frameworks send. */
      extensions?: 'profiler' | number[];
      /** The field that leads to a larger struct. */
      larger?: string;
      strings?: 'unterminated';
      mayFail?: true;
      error?: ExpectedError;
    }
  | ({
      verb: 'expect';
      actual: Reference;
      compare?: Compare;
      level?: Level;
      /** The memory from which an earlier call read the value still holds it. */
      unchanged?: true;
    } & Predicate)
  /** A behaviour that is recorded and not judged: the first word whose values the array has. */
  | {
      verb: 'observe';
      behaviour: string;
      /** Of what: an element type, or other parameters. */
      of?: string;
      value: Reference;
      /** Row-major indices of the elements that show it; default: all. */
      elements?: number[];
      is: Record<string, (number | string | boolean)[]>;
    }
  | { verb: 'await'; event?: Reference; buffer?: Reference; error?: ExpectedError }
  | { verb: 'destroy'; of: Reference; overwritten?: boolean }
  | {
      verb: 'client';
      as: string;
      options?: Record<string, unknown>;
      plugin?: Reference;
      error?: ExpectedError;
      /** That many clients, which are the nodes of a job; `as` is their list. */
      nodes?: number;
    }
  /** Runs `steps` once for each element of a list, which they know as `name`. */
  | ({ verb: 'for-each'; name: string; list: Reference | unknown[]; except?: Reference | unknown[] } & Loop)
  | ({ verb: 'repeat'; times: number } & Loop)
  /** Runs `steps` so many rounds, several times: what they use up may not grow each time. */
  | ({
      verb: 'soak';
      rounds: number;
      /** The function whose objects would be what leaks. */
      blames: string;
      /** Bytes of the largest object of a round, and the least that a round must lose. */
      bytes?: number;
      least?: number;
      /** Default: all. */
      mayNotGrow?: Resource[];
    } & Loop)
  /**
   * Runs `steps` in several lanes at once: so many, or one for each element of a list. They know their number, and their element,
   * by name. `each`: every step is a lane.
   */
  | { verb: 'on-threads'; lanes: 'each' | Record<string, number | Reference | unknown[]>; steps: Step[] }
  /** Runs `steps` up to the first that needs something that the plugin does not offer. */
  | { verb: 'if-offered'; steps: Step[] }
  /** Not in the language, but in cases that the harness makes: an array becomes a .npy file. */
  | { verb: 'store'; array: Reference; file: string }
  /** The same: the array is compared with what an oracle gives, which is not known yet (run/oracle.ts). */
  | { verb: 'consult'; actual: Reference; result: string; dtype: string; compare: Compare }
  /** The same: nothing says what is right, so the case ends as unsupported. */
  | { verb: 'unjudged'; because: string }
  /** A check written in TypeScript (harness/worker/probes), for what no list of steps can say. */
  | { verb: 'probe'; name: string; with?: Record<string, unknown> };

/** How the pieces of a result lie in the whole array. */
export interface Pieces extends Placement {
  whole: number[];
  /** The compiler may cut it in another way, which is asked of the executable then, unless the shape of the whole is not known. */
  open?:
    | 'unknown'
    | { executable: Reference; result: number; shape: number[]; partitions: number; replicas: number }
    | undefined;
  /** The name of the list of further copies, where several devices have the same pieces. */
  copies: string;
}

/** What a soak measures: resident and allocated memory, address space, and what the process has open. */
export type Resource = 'memory' | 'allocated' | 'addresses' | 'descriptors' | 'threads';

/** A minor-to-major order of dimensions; `reversed` is column-major. */
export type Order = readonly number[] | 'row-major' | 'reversed';

/** Ways to make something that is not ready until the harness says so (steps/pending.ts). */
type Withheld = 'created' | 'manager' | 'alias' | 'dependency';
/** Ways to start something that is in progress for a while and ends by itself (steps/in-flight.ts). */
export type SelfEnding = 'execution' | 'transfer' | 'copy' | 'anything';
export type PendingVia = Withheld | SelfEnding;

/** What the step `pending` binds. */
type PendingFact = 'buffer' | 'event' | 'contents' | 'source' | 'completion';

/** Messages that the step `decode` reads. */
export type Message = 'compile-options' | 'device-assignment' | 'shape';

/** What it binds of them. */
export type MessageFact =
  | 'num_replicas'
  | 'num_partitions'
  | 'device_assignment'
  | 'portable'
  | 'debug'
  | 'overrides'
  | 'element_type'
  | 'dimensions'
  | 'minor_to_major';

/** What the step `program` binds of a program. */
const PROGRAM_FACTS = [
  'inputs',
  'code',
  'compile_options',
  'num_inputs',
  'num_outputs',
  'output_types',
  'output_dims',
] as const;

export type ProgramFact = (typeof PROGRAM_FACTS)[number];

/**
 * A step, its line for failure messages, and the requirements that it checks if not all that the case covers.
 * `precondition`: what must hold for the case to say anything; if the step fails, the case is unsupported. `refusable`: what
 * a plugin need not accept; if it refuses, the case is unsupported.
 */
export type Step = StepBody & { line: number; breaks?: string[]; precondition?: string; refusable?: string };

/** What a step does several times. Names that its steps bind end with an iteration. */
interface Loop {
  steps: Step[];
  /** Lists to bind after the loop, by name: what each iteration contributes, or several values that it contributes as one list. */
  collect?: Record<string, Reference | Reference[]>;
  /** The same for lists, whose elements are put together. */
  gather?: Record<string, Reference>;
}

export interface CompileOptions {
  num_replicas?: number;
  num_partitions?: number;
  /** Device ids, row-major replica then partition. */
  device_assignment?: (number | Reference)[];
  /** Not in the language: the first devices of the client, on which results without a sharding are whole. */
  first_devices?: true;
  /** Not in the language: nobody says which devices a program for several has. */
  unplaced?: true;
  portable?: boolean;
  /** Shardy partitions the program, as JAX asks for whenever a program has its shardings. */
  shardy?: boolean;
  /** Options for the compiler (env_option_overrides), as jax.jit(compiler_options=...) gives them. */
  overrides?: Record<string, unknown>;
  /** XLA's debug options (debug_options), by name. */
  debug?: { xla_embed_ir_in_executable?: boolean; xla_dump_max_hlo_modules?: number };
  /** Send only the fields that no plugin works without, instead of all that JAX sends. */
  plain?: boolean;
  /** `empty`: zero bytes. A hexadecimal string: exactly these bytes. */
  raw?: 'empty' | string;
}

/** All given predicates must hold. */
export interface Predicate {
  equals?: unknown;
  not?: unknown;
  nonEmpty?: boolean;
  isNull?: boolean;
  atLeast?: unknown;
  atMost?: unknown;
  oneOf?: unknown[] | Reference;
  contains?: unknown;
  matches?: string;
  /** Every element of the list is distinct, but for those that may occur several times. */
  unique?: boolean | { except: unknown[] };
  /** Every element of the list is in the other list. */
  subsetOf?: unknown;
  /** No element of the list is in the other list. */
  disjointFrom?: unknown;
  length?: unknown;
  /** Every element of the list satisfies this. */
  each?: Predicate;
  /** The same elements as the other list, in any order. */
  sameElements?: unknown;
  /** The list of the names of named values satisfies this. */
  names?: Predicate;
  /** The list of the types of named values satisfies this. */
  types?: Predicate;
  /** The list of those values of named values that are numbers satisfies this. */
  numbers?: Predicate;
  /** The list of the struct sizes of named values satisfies this. */
  structSizes?: Predicate;
  /** Every named value has the size that belongs to its type, and no value is behind a null pointer. */
  sized?: boolean;
  /** A text without NULs, other control characters and bytes that are not UTF-8; line ends and tabs are allowed. */
  printable?: boolean;
  /** A minor-to-major order of these dimensions. */
  orders?: unknown;
  /** So many elements of room were written, from the beginning. */
  written?: unknown;
}

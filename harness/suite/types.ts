/** What a suite file means once it is loaded and expanded: pure data, sent to workers as it is. */

/** Weight of a requirement. A broken MUST fails the run, a broken SHOULD warns, MAY and OPT cannot fail by absence. */
export type Level = 'must' | 'should' | 'may' | 'opt';

/** A matrix value: what a parameter may be bound to. Shapes are integer lists. */
export type ParamValue = string | number | boolean | readonly number[];

/** What a case needs before it can say anything; unmet needs make it `unsupported` with the reason, never a pass. */
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
  /** Element types that the plugin must be able to hold (probed once per client by a transfer). */
  dtypes?: string[];
  /** Shapes that the plugin must be able to hold; those with a dimension of zero are tried, once per client. */
  shapes?: number[][];
  /** Keys of the plugin's manifest that must be there, e.g. `topology`. */
  manifest?: string[];
}

/** Milliseconds; absent means the default of the run. */
export interface Deadline {
  call?: number;
  case?: number;
}

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
  /** Heaviest level among `covers`, unless the case says otherwise. */
  level: Level;
  /** Level of each requirement in `covers`: a finding weighs as much as what it breaks. */
  levels: Record<string, Level>;
  /** Functions that every plugin offers: where one of them answers UNIMPLEMENTED here, that is no excuse. */
  demands?: string[];
  tags: string[];
  requires: Requires;
  /** `worker`: shares a worker process. `process`: gets one of its own, thrown away afterwards. */
  isolation: 'worker' | 'process';
  /**
   * `shared`: uses the worker's client. `own`: creates clients itself. `none`: needs no client and no device (the
   * no-device profile runs these).
   */
  client: 'shared' | 'own' | 'none';
  /** Programs that the case compiles as they are, for the shared client, may have been compiled by an earlier case. */
  programs?: 'shared';
  deadline: Deadline;
  steps: Step[];
}

/** `$name`: a value bound by an earlier step or given by the runner (see RUNNER_BINDINGS). */
export type Reference = string;

/** Names that are bound before the first step. `plugins` and `clients` are lists, one entry a loaded plugin. */
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

/** Data made by the harness (numerics/generate); never random between runs. */
export type Data =
  | Reference
  | { iota: { dtype: string; shape: number[] } }
  /** Position-hashed small integers in [-range, range] (default 4): exact in every float type; no periodic pattern. */
  | { hash: { dtype: string; shape: number[]; seed?: number; range?: number } }
  | { fill: { dtype: string; shape: number[]; value: Scalar } }
  /** Row-major values; strings carry what YAML numbers cannot: "nan", "inf", "-0", "9223372036854775807", "1+2i". */
  | { values: { dtype: string; shape: number[]; of: Scalar[] } }
  /** Row-major element bits as hexadecimal strings. */
  | { bits: { dtype: string; shape: number[]; of: string[] } }
  /** Every special bit pattern of the type: zeros, subnormals, limits, infinities, NaNs with payloads. */
  | { special: { dtype: string } }
  /** The exact result of an operation on other data, computed by harness/numerics/oracles (integers and dyadic rationals). */
  | { oracle: { op: string; of: Reference[]; with?: Record<string, unknown> } }
  /** A committed table under fixtures/expected: `name` file, `column` in it. */
  | { table: { name: string; column: string } };

export type Scalar = number | string | boolean;

/** How two arrays are compared (reference: docs/numerics.md). `bits` is the default. */
export type Compare =
  | 'bits'
  | {
      ulp?: number;
      atol?: number;
      nan?: 'any' | 'bits' | 'canonical';
      zero?: 'signed' | 'unsigned';
      subnormal?: 'preserve' | 'flush' | 'maybe';
      /** An operation of harness/numerics/bounds.json: its bound for the type compared. */
      bound?: string;
      /** Accuracy profile that `bound` is taken from; default `standard`. */
      profile?: 'strict' | 'standard' | 'relaxed';
      /** The operand, for bounds that grow with it and for the table of failures. */
      of?: Reference;
      /** Where the bound comes from; required with `ulp` or `atol`. */
      source?: string;
    };

/** What a native call must answer. `any`: some error. A name: that code. The object form splits MUST and SHOULD. */
export type ExpectedError = string | { must: 'any' | string; should?: string; or?: 'success'; message?: string };

/**
 * Arguments of a `call`, by field name of the args struct. Numbers, booleans, null, references, strings (a pointer), lists
 * (arrays), `{bytes: "hex"}`, `{enum: NAME}`, `{struct: NAME, with: {…}}`, `{callback: ignore}` and
 * `{named: {option: value}}` for PJRT_NamedValue arrays. The field that counts a string or array is filled in.
 */
export type CallArguments = Record<string, unknown>;

export type StepBody =
  | { verb: 'data'; as: string; data: Data }
  /** What a committed program takes and gives: `{name: fact}`. */
  | { verb: 'program'; name: string; as: Record<string, ProgramFact> }
  | {
      verb: 'put';
      as: string;
      /** An array, or a reference to a list of arrays: then a list of buffers is bound. */
      data: Data;
      /** A device or a memory; default the first addressable device of the client. */
      on?: Reference;
      /** Default the shared client of the first plugin. */
      client?: Reference;
      semantics?: 'during-call' | 'until-transfer-completes' | 'zero-copy' | 'mutable-zero-copy';
      /** Minor-to-major order of the host array in memory (byte strides are computed); default dense row-major. */
      order?: number[];
      /** Explicit byte strides, overriding `order`. */
      strides?: number[];
      /** Minor-to-major order of the device layout that is asked for. */
      layout?: number[];
      overwritten?: true;
      error?: ExpectedError;
    }
  /** `buffer` may refer to a list: then a list of arrays is bound. */
  | { verb: 'get'; as?: string; buffer: Reference; layout?: number[]; error?: ExpectedError }
  | {
      verb: 'compile';
      as?: string;
      /** Default the shared client of the first plugin. */
      client?: Reference;
      /** Compile for this topology (PJRT_Compile): gives a PJRT_Executable that is not loaded. A client is passed only if named. */
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
      /** One argument list a device, instead of `args`; every output is then bound as a list, one buffer a device. */
      lists?: Reference[][];
      device?: Reference;
      nonDonatable?: number[];
      launchId?: number;
      /** Other fields of PJRT_ExecuteOptions, written as in `call`; `struct_size` sends an older struct. */
      options?: CallArguments;
      /** Ask for device_complete_events and await them (default true). */
      events?: boolean;
      overwritten?: true;
      error?: ExpectedError;
    }
  | {
      verb: 'call';
      function: string;
      /** Whose function; default the plugin that the handles in `with` belong to, else the first. */
      plugin?: Reference;
      with?: CallArguments;
      /** Output fields to bind: `{name: field}`. Strings, lists and handles arrive decoded. */
      as?: Record<string, string>;
      /** Checks on output fields, by field name (same predicates as `expect`). */
      expect?: Record<string, Predicate>;
      error?: ExpectedError;
      /** Output fields that must still hold the poison written before the call. */
      untouched?: string[];
      /** Overrides args.struct_size. */
      structSize?: number;
      /** The same question, asked again, has the same answer, and the memory of the first answer keeps it, or is the same. */
      stable?: 'contents' | 'memory';
      /** All memory that is passed to the call is overwritten as soon as it returns. */
      overwritten?: true;
    }
  | ({
      verb: 'expect';
      actual: Reference;
      compare?: Compare;
      level?: Level;
      /** The memory from which an earlier call read the value still holds it. */
      unchanged?: true;
    } & Predicate)
  | { verb: 'await'; event?: Reference; buffer?: Reference; error?: ExpectedError }
  | { verb: 'destroy'; of: Reference }
  | { verb: 'client'; as: string; options?: Record<string, unknown>; plugin?: Reference; error?: ExpectedError }
  /** Runs `steps` once for each element of a list, which they know as `name`. */
  | ({ verb: 'for-each'; name: string; list: Reference | unknown[]; except?: Reference | unknown[] } & Loop)
  | ({ verb: 'repeat'; times: number } & Loop)
  /** A check written in TypeScript (harness/probes), for what no list of steps can say. */
  | { verb: 'probe'; name: string; with?: Record<string, unknown> };

/** What the step `program` knows of a program. */
export const PROGRAM_FACTS = [
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
 * A step, where it stands, so that failures can point at the line, and what fails with it, if not all that the case covers.
 * `prepares`: other cases are about what it does; where it ends in an error, this one is unsupported.
 */
export type Step = StepBody & { line: number; breaks?: string[]; prepares?: true };

/** What a step does several times. Names that its steps bind end with an iteration. */
export interface Loop {
  steps: Step[];
  /** Lists to bind after the loop, by name: what each iteration contributes. */
  collect?: Record<string, Reference>;
  /** The same for lists, whose elements are put together. */
  gather?: Record<string, Reference>;
}

export interface CompileOptions {
  num_replicas?: number;
  num_partitions?: number;
  /** Device ids, row-major replica then partition. */
  device_assignment?: number[];
  portable?: boolean;
  /** Only the fields that no plugin can do without, instead of all that JAX sends. */
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
}

/** What a plugin is to the harness: a library, how to create a client of it, and what is known about it. */

/** A configuration value of one of the five kinds that `PJRT_NamedValue` can carry. */
export type OptionValue = string | bigint | bigint[] | number | boolean;

/** An option with its native kind: JavaScript alone cannot tell the float 1.0 from the integer 1. */
export type TypedOption =
  | { kind: 'string'; value: string }
  | { kind: 'int64'; value: bigint }
  | { kind: 'int64_list'; value: bigint[] }
  | { kind: 'float'; value: number }
  | { kind: 'bool'; value: boolean };

export type OptionKind = TypedOption['kind'];

export const OPTION_KINDS: readonly OptionKind[] = ['string', 'int64', 'int64_list', 'float', 'bool'];

/** A set of create options by name, in the order in which they are sent. */
export type Options = Record<string, TypedOption>;

/** The library of one operating system and processor inside a Python package, pinned to the byte. */
export interface PlatformLibrary {
  /** File name of the wheel; its tags say what to ask the installer for. */
  wheel: string;
  /** Bytes of the wheel, for progress. */
  wheelBytes?: number;
  wheelSha256?: string;
  /** Version of CPython to resolve for, e.g. `3.12`; the interpreter that runs pip need not be that one. */
  python: string;
  /** Path of the shared library inside the wheel. */
  library: string;
  /** SHA-256 of the library (not of the wheel), lower-case hexadecimal. */
  sha256: string;
  sizeBytes: number;
}

/** `${process.platform}-${process.arch}`, e.g. `linux-x64`. */
export type PlatformKey = string;

export interface PluginPackage {
  name: string;
  version: string;
  platforms: Record<PlatformKey, PlatformLibrary>;
}

/** Sources of a plugin that come with its manifest: built where there is no prebuilt library of them. */
export interface PluginSources {
  /** Folder with the sources and their `build.sh OUTDIR`, relative to the manifest. */
  folder: string;
  /** Name of the library that the script leaves in its output folder. */
  library: string;
}

/** A create option that the plugin is known to understand. It gives `--option` its type; others are sent as written. */
export interface KnownOption {
  kind: OptionKind;
  description: string;
}

/** A failure that is known, with its reason: reported as failing, but explained. It covers one build of the plugin only. */
export interface Deviation {
  /** Glob over case ids, e.g. `errors/compile:zero-byte-options*`. */
  cases: string;
  /** The requirement that is not met, e.g. `COMP-OPT-001`. */
  requirement: string;
  reason: string;
  /** Where it can be seen: an upstream issue, a measurement. */
  evidence: string;
}

/** Milliseconds; absent means the default of the run. */
export interface PluginDeadlines {
  /** Loading the library. */
  load?: number;
  /** The first calls in a process may compile what they need. */
  first?: number;
  call?: number;
  case?: number;
  /** The first Client_Create may compile kernels for a minute. */
  clientCreate?: number;
}

/** What a plugin needs for a client. */
export interface Hardware {
  /** As the end of `no node of …`. */
  name: string;
  /** Device nodes, `*` and `[0-9]` in the last part of a path; one of them is there where the hardware and its driver are. */
  nodes?: string[];
  /** Files that a process holds while it uses the hardware. */
  lockFiles?: string[];
  /** What to do where no node is there. */
  advice: string;
  /** Where all this comes from. */
  source?: string;
}

/** A variable that decides whether a plugin loads or finds its hardware. */
export interface EnvironmentAdvice {
  name: string;
  about: string;
  /** When it may be why a client cannot be had. */
  suspect?: 'set' | 'unset' | { matches: string };
  /** What to do then. */
  advice?: string;
  /** For logging: what `--debug` sets it to, unless the user has set it. */
  debug?: string;
  /** For logging that `--debug` leaves alone: a value to try. */
  example?: string;
  /** Where this comes from, or what was measured. */
  source?: string;
}

/** Compile options that a plugin needs, beside or instead of those that JAX sends. */
export interface PluginCompileOptions {
  /** `jax` (default): all that JAX sends. `plain`: what no plugin can do without, and nothing else. */
  style?: 'jax' | 'plain';
  /** Options of the vendor's own, sent as `jax.jit(compiler_options=…)` does. */
  overrides?: Record<string, OptionOverride>;
}

/** A value of `env_option_overrides`. */
export type OptionOverride = Exclude<TypedOption, { kind: 'int64_list' }>;

/** What a plugin promises to have. Nothing follows from what is not listed. */
export interface Declared {
  /** Element types that it holds and computes with, as `bf16`. */
  dtypes?: string[];
  /** StableHLO operations that it compiles, as `dot_general`, on the element types that are declared. */
  ops?: string[];
  /** Extensions of the function table, as `Layouts`. */
  extensions?: string[];
  /** As `pinned_host`. */
  memoryKinds?: string[];
  /** Optional functions, as `PJRT_Buffer_CopyToDevice`. */
  functions?: string[];
}

/** What is known about a plugin: `plugins/known/*.yaml`, or a file of the user's own. */
export interface Manifest {
  name: string;
  description?: string;
  /** File this was read from. */
  file: string;
  package?: PluginPackage;
  build?: PluginSources;
  /** Path of the shared library, relative to the manifest; absent where the package or the user gives it. */
  library?: string;
  /** File names by which a library given by path is taken for this plugin, e.g. `libtpu.so`. */
  libraryNames: string[];
  env: Record<string, string>;
  /** Create options to send. */
  options: Options;
  /** Create options that may be sent. */
  knownOptions: Record<string, KnownOption>;
  /** One process at a time: the plugin locks its hardware. */
  serial: boolean;
  deadlines: PluginDeadlines;
  /** The accuracy profile that its results are meant to meet. */
  numerics?: 'strict' | 'standard' | 'relaxed';
  /** What PJRT_Client_PlatformName is expected to answer. */
  platformName?: string;
  compileOptions?: PluginCompileOptions;
  declares?: Declared;
  /** A topology that compiles without hardware. */
  topology?: { name: string; options: Options };
  hardware?: Hardware;
  environment: EnvironmentAdvice[];
  deviations: Deviation[];
  notes?: string;
  /** Addresses of the documents that the facts come from. */
  source: string[];
}

/** How a plugin was found. `known`: by its short name, from the cache, fetched or built. `search`: on an environment variable's path. */
export type Origin = 'path' | 'known' | 'manifest' | 'search';

/**
 * Why a manifest applies. `name`: the user named it. `sha256`: the very build it describes.
 * `file-name`: another build of that plugin; its pinned deviations do not apply.
 */
export type Recognition = 'name' | 'sha256' | 'file-name';

/** Everything a worker needs to load the plugin; plain data, safe for structured clone (options hold bigints). */
export interface ResolvedPlugin {
  name: string;
  /** Absolute path of the shared library. */
  library: string;
  origin: Origin;
  /** What the origin was, in words: the variable and its entry, the manifest file. */
  foundBy: string;
  manifest?: Manifest;
  recognisedBy?: Recognition;
  options: Options;
  /** Variables to set for the worker; those that the user has set already are left out. */
  env: Record<string, string>;
  sha256: string;
  sizeBytes: number;
  /** Things worth telling, one line each: an option that the manifest does not know, another build than the pinned one. */
  warnings: string[];
}

/** Work that may take seconds: what is done of a total, where the total is known; in bytes, of a build in bytes of sources. */
export interface Progress {
  phase: 'download' | 'unpack' | 'hash' | 'build';
  /** Name of the plugin or of the file. */
  what: string;
  doneBytes: number;
  totalBytes?: number;
}

export type OnProgress = (progress: Progress) => void;

/** An environment as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

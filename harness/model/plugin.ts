import type { FileIdentity } from '../base/file-identity.ts';

/** A plugin as the harness sees it: a library, how to create a client of it, and known facts. */

/** A configuration value of one of the five kinds that `PJRT_NamedValue` can carry. */
export type OptionValue = string | bigint | bigint[] | number | boolean;

/** An option with its native type: JavaScript alone cannot distinguish the float 1.0 from the integer 1. */
export type TypedOption =
  | { kind: 'string'; value: string }
  | { kind: 'int64'; value: bigint }
  | { kind: 'int64_list'; value: bigint[] }
  | { kind: 'float'; value: number }
  | { kind: 'bool'; value: boolean };

export type OptionKind = TypedOption['kind'];

export const OPTION_KINDS: readonly OptionKind[] = ['string', 'int64', 'int64_list', 'float', 'bool'];

/** Create options by name, in the order in which they are sent. */
export type Options = Record<string, TypedOption>;

/** The library for one operating system and processor inside a Python package, pinned by hash. */
export interface PlatformLibrary {
  /** File name of the wheel; its tags select what the installer downloads. */
  wheel: string;
  /** Size of the wheel, for progress. */
  wheelBytes?: number;
  wheelSha256?: string;
  /** Version of CPython to resolve for, e.g. `3.12`; pip may run on another one. */
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

/** Sources of a plugin beside its manifest: built if there is no matching prebuilt library. */
export interface PluginSources {
  /** Directory with the sources and their `build.sh OUTDIR`, relative to the manifest. */
  directory: string;
  /** Name of the library that the script writes to its output directory. */
  library: string;
}

/** A create option that the plugin understands. Gives `--option` its type; others are sent as written. */
export interface KnownOption {
  kind: OptionKind;
  description: string;
}

/** A known failure with its reason: still reported as failing, but explained. Applies to one build of the plugin only. */
export interface Deviation {
  /** Glob over case ids, e.g. `buffers/host-errors:type*`. */
  cases: string;
  /** The violated requirement, e.g. `BUF-HOST-003`. */
  requirement: string;
  /** The call in which it shows, for failures of other cases than these (`explore`); default: that of the cases, or any. */
  call?: string;
  reason: string;
  /** Evidence: an upstream issue, a measurement. */
  evidence: string;
}

/** Milliseconds; default: that of the run. */
export interface PluginDeadlines {
  /** Loading the library. */
  load?: number;
  /** The first calls in a process, which may compile kernels. */
  first?: number;
  call?: number;
  case?: number;
  /** The first Client_Create may compile kernels for a minute. */
  clientCreate?: number;
}

/** What a plugin needs for a client. */
export interface Hardware {
  /** As in `no device node of … is here`. */
  name: string;
  /**
   * Device nodes, with `*` and `[0-9]` in the last part of a path; one of them exists if the hardware and its driver are
   * present.
   */
  nodes?: string[];
  /** Files that a process keeps open while it uses the hardware. */
  lockFiles?: string[];
  /** What to do if there is no node. */
  advice: string;
  /** Sources of these facts. */
  source?: string;
}

/** How runs on one machine share the devices of a plugin that only one process at a time can hold. */
interface Devices {
  /** Plugins with the same name here use the same devices; default: the name of the manifest. */
  lock?: string;
  /** Variables that list the devices which a process may use, as in `0,2-5`; the first one that is set counts. */
  visibleBy?: string[];
  /** The create option that says how many devices a client has. */
  count?: string;
}

/** A variable that affects whether a plugin loads or finds its hardware. */
export interface EnvironmentAdvice {
  name: string;
  about: string;
  /** Values that may be the reason why no client can be created. */
  suspect?: 'set' | 'unset' | { matches: string };
  /** What to do then. */
  advice?: string;
  /** For logging: the value that `--debug` sets, unless the user has set it. */
  debug?: string;
  /** For logging that `--debug` leaves alone: a value to try. */
  example?: string;
  /** Source of this fact, or a measurement. */
  source?: string;
}

/** Compile options that a plugin needs, in addition to or instead of those that JAX sends. */
export interface PluginCompileOptions {
  /** `jax` (default): all that JAX sends. `plain`: only what no plugin works without. */
  style?: 'jax' | 'plain';
  /** Vendor-specific options, sent as `jax.jit(compiler_options=…)` does. */
  overrides?: Record<string, OptionOverride>;
}

/** A value of `env_option_overrides`. */
export type OptionOverride = Exclude<TypedOption, { kind: 'int64_list' }>;

/** What a plugin promises to support. Nothing follows from what is not listed. */
export interface Declared {
  /** Element types that it stores and computes with, e.g. `bf16`. */
  dtypes?: string[];
  /** StableHLO operations that it compiles for the declared element types, e.g. `dot_general`. */
  ops?: string[];
  /** Extensions of the API table, e.g. `Layouts`. */
  extensions?: string[];
  /** Memory kinds, e.g. `pinned_host`. */
  memoryKinds?: string[];
  /** Optional functions, e.g. `PJRT_Buffer_CopyToDevice`. */
  functions?: string[];
}

/** Known facts about a plugin: `plugins/known/*.yaml`, or a file of the user. */
export interface Manifest {
  name: string;
  description?: string;
  /** Path of this file. */
  file: string;
  package?: PluginPackage;
  build?: PluginSources;
  /** Path of the shared library, relative to the manifest; absent if the package or the user provides it. */
  library?: string;
  /** File names by which a library given by path is recognised as this plugin, e.g. `libtpu.so`. */
  libraryNames: string[];
  env: Record<string, string>;
  /** Create options to send. */
  options: Options;
  /** Create options that may be sent. */
  knownOptions: Record<string, KnownOption>;
  /** Only one process at a time: the plugin locks its hardware. */
  serial: boolean;
  /** Command of the shell that resets the devices after a worker has died. */
  resetCommand?: string;
  /** It needs a Python in its process, whatever its symbols say. */
  python?: boolean;
  devices?: Devices;
  deadlines: PluginDeadlines;
  /** The accuracy profile that its results are meant to meet. */
  numerics?: 'strict' | 'standard' | 'relaxed';
  /** Expected answer of PJRT_Client_PlatformName. */
  platformName?: string;
  compileOptions?: PluginCompileOptions;
  declares?: Declared;
  /** Whether machine and device have the memory for cases with arrays beyond 2 GiB, and the user the time. */
  largeArrays?: boolean;
  /** A topology that compiles without hardware. */
  topology?: { name: string; options: Options };
  hardware?: Hardware;
  environment: EnvironmentAdvice[];
  deviations: Deviation[];
  notes?: string;
  /** URLs of the sources of these facts. */
  source: string[];
}

/**
 * Why a manifest applies. `name`: the user named it. `sha256`: exactly the build it describes. `file-name`: another build of
 * that plugin; its pinned deviations do not apply.
 */
export type Recognition = 'name' | 'sha256' | 'file-name';

/** What is known of a plugin in processes that have no other plugin, for comparison with its company. */
export interface Alone {
  /** Where its results are. */
  directory: string;
  /** This run is the one without company: it keeps the results. */
  keeps?: true;
  /** It creates no client even then, as without a device. */
  refusesClients?: true;
}

/** A Python that a worker starts before it loads the plugin, or why it cannot. */
export interface EmbeddedPython {
  /** Why the plugin needs it. */
  why: string;
  /** Path or name of the shared library. */
  library?: string;
  /** The program that the library belongs to, by which it finds its packages. */
  executable?: string;
  /** Why there is none. */
  missing?: string;
}

/** A sanitizer that a plugin was built with. */
export interface SanitizerUse {
  /** `AddressSanitizer`. */
  name: string;
  /** The variable that its runtime takes its options from, and those that a user may override. */
  variable: string;
  options: string;
  /** The library that a process has to load before everything else: a path, or a name that the loader knows. */
  preload?: string;
  /** It needs one, and none was found; `program`: it would have to be in the whole program. */
  missing?: 'runtime' | 'program';
}

/** Everything a worker needs to load the plugin; plain data, safe for structured clone (options contain bigints). */
export interface ResolvedPlugin {
  name: string;
  /** Absolute path of the shared library. */
  library: string;
  /** How it was found, in words: the variable and its entry, the manifest file. */
  foundBy: string;
  manifest?: Manifest;
  recognisedBy?: Recognition;
  options: Options;
  /** Variables to set for the worker, without those that the user has set. */
  env: Record<string, string>;
  sha256: string;
  /** Of the file that the hash is of. */
  identity?: FileIdentity;
  sizeBytes: number;
  alone?: Alone;
  /** The plugin needs a Python in its process. */
  python?: EmbeddedPython;
  /** What it was built with, in the order in which the runtimes have to be loaded. */
  sanitizers?: readonly SanitizerUse[];
  /** Warnings, one line each: an option that the manifest does not know, another build than the pinned one. */
  warnings: string[];
}

/** Progress of slow work: done and total, if the total is known; in bytes, for a build in bytes of sources. */
export interface Progress {
  phase: 'download' | 'unpack' | 'hash' | 'build';
  /** Name of the plugin or of the file. */
  what: string;
  doneBytes: number;
  totalBytes?: number;
}

export type OnProgress = (progress: Progress) => void;

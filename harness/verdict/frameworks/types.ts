/** What the releases of a framework send to a plugin, need from it, and do when they do not get it: `frameworks/*.json`. */

/** What the framework makes of an error that a function returns. */
export type OnError =
  /** Log-fatal: the process ends. */
  | 'abort'
  /** UNIMPLEMENTED is tolerated, any other error ends the process. */
  | 'abort unless UNIMPLEMENTED'
  /** The caller gets an error. */
  | 'error'
  /** UNIMPLEMENTED is a defined answer; what another error does is in `tolerance`. */
  | 'UNIMPLEMENTED is fine'
  | 'ignored';

/** When a function is called at all. Without one it is called on every plugin, also one that is too old to have it. */
export interface Gate {
  /** Only when the plugin's minor is at least this. */
  minMinor?: number;
  /** A NULL slot counts as absent. */
  nullChecked?: boolean;
  /** Only beside this extension, or only without it. */
  withExtension?: string;
  withoutExtension?: string;
  /** Only when PJRT_Api.struct_size reaches the slot. */
  withinTable?: boolean;
  /** Only for executions to which the framework passes a context. */
  withContext?: boolean;
  /** Only when this function, without PJRT_, answered without an error. */
  after?: string;
  /** As found in the framework's source. */
  how: string;
  ifAbsent: string;
}

/** How a run of releases uses one function. */
export interface Use {
  /** First and last release, in the order of `releases`. */
  from: string;
  to: string;
  onError: OnError;
  gate?: Gate;
  /** Minor in which the C API got the function that is called without a gate. */
  addedIn?: number;
  tolerance?: string;
}

/** A run of a real framework against a real plugin. */
interface MeasuredRun {
  plugin: string;
  compatibilityVariable?: 'unset' | '1' | '0';
  outcome: string;
  reached: string;
  message: string;
}

export interface Release {
  version: string;
  date: string;
  dateFrom: string;
  /** Minor of the C API that it was built with. */
  minor: number;
  /** Where the functions of this release are known from. */
  status: string;
  xlaCommit: string | null;
  /** Meaning of an unset ENABLE_PJRT_COMPATIBILITY. */
  rule: 'exact' | 'compatible';
  stablehlo: {
    /** Highest version that it writes; null where only HLO is sent. */
    writes: string | null;
    /** Version it targets when the plugin states none. */
    fallback: string | null;
    readsAttribute: boolean;
    clamps: boolean;
    shardyOps: string;
  };
  /** Create options that it sends to every plugin, by name. */
  createOptions?: Record<string, number>;
  /** Programs are serialized HLO modules unless stated otherwise. */
  sendsHlo?: boolean;
  /** It asks for sizes of arrays with PJRT_Buffer_ToHostBuffer and no destination, and reads arrays without elements so. */
  asksSize?: boolean;
  notes: string[];
  measured: MeasuredRun[];
}

/** Functions by what their failure did to a release, one at a time. */
export interface Fault {
  release: string;
  /** It is plain from the source; nothing was run. */
  read?: true;
  answer: 'UNIMPLEMENTED' | 'INTERNAL';
  dies: string[];
  /** Function, and the first step of the workload that failed. */
  error: Record<string, string>;
  /** Nothing happened, also because the release never gets there. */
  harmless: string[];
}

/** Functions that a release was seen calling, by the moment of the process's life in which it did so first. */
export interface MeasuredCalls {
  release: string;
  status: 'measured';
  /** What measured it. */
  command: string;
  /** Where PJRT_Buffer_IsOnCpu says yes: arrays are read where they lie. */
  onCpu: Record<string, string[]>;
  /** Where it says no: arrays are copied to the host. */
  notOnCpu: Record<string, string[]>;
  /** Functions among them that not every such plugin saw called: it depends on its platform, version and extensions. */
  sometimes: string[];
  /** When PJRT_Error_Destroy was first called without an error, if it was. */
  nullError?: string;
}

/** A function of an extension whose error ends the process. */
export interface AbortingFunction {
  /** The end of its slot's name, where it is known. */
  slot?: string;
  /** As found in the framework's source. */
  text: string;
}

/** An extension that releases look for in a plugin. */
export interface Extension {
  /** First and last release that looks for it. */
  from: string;
  to: string;
  ifAbsent: string;
  /** Its functions whose error ends the process once the extension is there. */
  abortOnError: AbortingFunction[];
}

/** What a framework promises to plugins that are older than itself. */
export interface Promised {
  weeks: number;
  source: string;
}

/** Something that releases do on the platforms of a list alone, by the name that PJRT_Client_PlatformName returns. */
export interface PlatformGate {
  feature: string;
  /** First and last release with this list. */
  from: string;
  to: string;
  names: string[];
  /** What they do on other platforms. */
  otherwise: string;
  source: string;
}

export interface Framework {
  /** As in `--framework jax@0.10.2`. */
  name: string;
  title: string;
  sources: Record<string, string>;
  promise?: Promised;
  releases: Release[];
  /** By function, without the `PJRT_` prefix. */
  functions: Record<string, Use[]>;
  /** By name in the chain. */
  extensions: Record<string, Extension>;
  platforms: PlatformGate[];
  /** What part of a process's life a function belongs to. */
  phases: Record<string, string>;
  /** Functions seen called when devices are listed, data go up and down and a program is compiled and run twice. */
  core: { minor: number; functions: string[] }[];
  /** What releases were seen calling by this project, and when. */
  calls: MeasuredCalls[];
  /** What happened when one function after the other answered with an error. */
  faults: Fault[];
}

/** A release of a framework, with everything that is known of the framework. */
export interface Chosen {
  framework: Framework;
  release: Release;
}

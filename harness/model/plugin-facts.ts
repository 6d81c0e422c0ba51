/** Facts about one plugin of the run. */
export interface PluginFacts {
  name: string;
  path: string;
  sha256: string;
  sizeBytes: number;
  /** The linker's build id, in hexadecimal. */
  buildId?: string;
  /** Known manifest that was applied, if any. */
  manifest?: string;
  /** Create options as on the command line: `num_devices:int64=2`. */
  options?: string[];
  apiVersion?: { major: number; minor: number };
  /** `newer`: newer than the harness's tables; `older`: older than them; `known`. */
  versionStanding?: 'known' | 'newer' | 'older';
  tableBytes?: number;
  functions?: {
    inTable: number;
    known: number;
    nullSlots: string[];
    /** Functions of its version that are present although the declared table size excludes them. */
    behindEnd?: string[];
  };
  extensions?: {
    type: number;
    name: string;
    structSize: number;
    knownSizes: number[];
    slots: number;
    nullSlots: string[];
  }[];
  /** Answers of each function during the run: `OK`, error codes, `DEATH` (the process died in it), `HANG`. */
  answers?: Record<string, string[]>;
  attributes?: Record<string, string | number | boolean | string[] | number[]>;
  platformName?: string;
  platformVersion?: string;
  devices?: { id: number; kind: string; debug: string }[];
  memories?: { id: number; kind: string }[];
  /** Why it could not be used: dlerror, refusal, the error of Client_Create. */
  failure?: { stage: 'load' | 'version' | 'initialize' | 'client'; message: string; code?: string };
}

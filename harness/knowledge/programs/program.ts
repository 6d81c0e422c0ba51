import type { GeneratedData } from '../numerics/data.ts';

/** A program that does not exist, or lacks what was requested. The message says what to do. */
export class ProgramError extends Error {
  override name = 'ProgramError';
  /** What to do about it, if the message does not say it. */
  readonly help: string | undefined;

  constructor(message: string, help?: string) {
    super(message);
    this.help = help;
  }
}
/** A parameter or a result of a program, in the harness's spelling of element types. */
export interface TensorType {
  dtype: string;
  shape: readonly number[];
}

/** A parameter, and the data it needs if any of its type will not do , as suites write it. */
export interface Parameter extends TensorType {
  data?: GeneratedData;
}

/** A StableHLO version that a program is offered at. */
export interface ArtifactInfo {
  /** E.g. `1.13.0`. */
  version: string;
  /** Path of the stored encoding, relative to the fixtures directory; several versions may share it, see `stampVersion`. */
  file: string;
}

/** What a compiler must support to compile a program. */
export interface ProgramNeeds {
  /** StableHLO operations, without the dialect, sorted. */
  ops: readonly string[];
  /** Element types of all its arrays, in the harness's spelling, sorted. */
  dtypes: readonly string[];
  /** Some array has a dimension whose size only a run shows. */
  dynamic?: boolean;
}

/** The shardings of a program as it writes them, and its meshes by name. */
export interface Shardings {
  inputs: readonly (string | undefined)[];
  outputs: readonly (string | undefined)[];
  meshes: ReadonlyMap<string, string>;
}

/** A StableHLO program, committed or of the user. Files of committed ones are read on demand, once. */
export interface Program {
  /** `<group>/<name>`, or the path of a file of the user. */
  name: string;
  /** What it computes, on one line; for an invalid program, what is wrong with it. */
  about: string;
  /** A compiler must reject it; it has no inputs, outputs or artifacts. */
  bad: boolean;
  /** Path of its file, relative to the fixtures directory: `.mlir`, or `.mlirbc` if only an artifact exists (invalid ones). */
  file: string;
  inputs: readonly Parameter[];
  outputs: readonly TensorType[];
  /** What a compiler must have for it, if that is known other than by its text. */
  needs?: ProgramNeeds;
  /** Replicas and partitions, as far as its module says how many. */
  replicas: number;
  partitions: number | undefined;
  /** Of a program of the user: why it cannot be run by itself; and, where there is a text of it, how its arrays are cut. */
  unfit?: { message: string; help?: string } | undefined;
  shardings?: Shardings | undefined;
  /** `ok`, or why the reference interpreter did not run it when it was generated; absent for invalid programs. */
  interpreter?: string;
  /** Oldest version first. */
  artifacts: readonly ArtifactInfo[];
  /** The program's own file. */
  bytes(): Uint8Array;
  /** Absent for committed programs, which have it: whether there is a text of a program of the user. */
  hasText?: boolean;
  /** The StableHLO text. */
  text(): string;
  /** The portable artifact, as a framework would serialize it for a plugin of exactly this version. */
  artifact(version: string): Uint8Array;
}

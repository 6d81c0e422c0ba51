/** A parameter or a result of a program, in the harness's spelling of element types. */
export interface TensorType {
  dtype: string;
  shape: readonly number[];
}

/** A StableHLO version that a program is offered at. */
export interface ArtifactInfo {
  /** As `1.13.0`. */
  version: string;
  /** Path below the fixtures folder of the stored encoding; several versions may share it, see `stampVersion`. */
  file: string;
}

/** A committed StableHLO program. Files are read when asked for, once. */
export interface Program {
  /** `<group>/<name>`. */
  name: string;
  /** One line that says what it computes; for a bad program, what is wrong with it. */
  about: string;
  /** A compiler must refuse it; it has no inputs, outputs or artifacts. */
  bad: boolean;
  /** Path of its file below the fixtures folder: `.mlir`, or `.mlirbc` where only an artifact exists (bad ones). */
  file: string;
  inputs: readonly TensorType[];
  outputs: readonly TensorType[];
  /** What the program is written for; 1 and 1 unless it is in the multi group. */
  replicas: number;
  partitions: number;
  /** `ok`, or why the reference interpreter did not run it when it was generated; absent for bad programs. */
  interpreter?: string;
  /** Oldest version first. */
  artifacts: readonly ArtifactInfo[];
  /** The program's own file, whatever it holds. */
  bytes(): Uint8Array;
  /** The StableHLO text. */
  text(): string;
  /** The portable artifact, as a framework would serialise it for a plugin of exactly this version. */
  artifact(version: string): Uint8Array;
}

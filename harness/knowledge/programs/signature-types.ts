import type { Shardings, TensorType } from './program.ts';

/** The size of a dimension that is known only when the program runs. */
export const DYNAMIC = -1;

/**
 * The type of a parameter or a result. A type that is no array of a fixed shape and a plain element type is `special`; its
 * shape is then what is known of it, with `DYNAMIC` for a size that is not, and its dtype may be one that no array has,
 * such as `token`.
 */
export interface ValueType extends TensorType {
  /** In MLIR's spelling, e.g. `tensor<2x?xbf16>`. */
  mlir: string;
  special?: 'dynamic' | 'unranked' | 'quantized' | 'token' | 'tuple' | 'memref' | 'other';
}

/** What a program says of itself: how its entry function is called, and what a compiler needs for it. */
export interface Signature {
  /** Name of the entry function: `main`, unless the only public function has another. */
  entry: string;
  inputs: readonly ValueType[];
  outputs: readonly ValueType[];
  /** StableHLO operations, without the dialect and their version, sorted. */
  ops: readonly string[];
  /** Element types of its arrays, in the harness's spelling, sorted. */
  dtypes: readonly string[];
  /** Some array has a dimension whose size only a run shows. */
  dynamic?: boolean;
  /** The StableHLO version of a portable artifact; absent for text. */
  version?: string;
  /** `mhlo.num_replicas` of the module. */
  replicas?: number;
  /** `mhlo.num_partitions` of the module. */
  partitions?: number;
  /** How a text says that its arrays are cut; an artifact says it too, in a form that is not read. */
  shardings?: Shardings;
}

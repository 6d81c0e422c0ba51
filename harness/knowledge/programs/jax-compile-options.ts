import { dataIn } from '../../base/paths.ts';
import type {} from './jax-compile-options.json'; // makes the compiler copy the file beside this module

interface Recorded {
  /** Releases from which they were recorded. */
  jax: string;
  jaxlib: string;
  /** `DebugOptions` as hexadecimal digits. */
  debugOptions: string;
}

let recorded: Uint8Array | undefined;

/** XLA's `DebugOptions` as JAX sends them with every program: all flags at JAX's defaults, serialized. */
export function jaxDebugOptions(): Uint8Array {
  recorded ??= Buffer.from(dataIn<Recorded>('knowledge/programs/jax-compile-options.json').debugOptions, 'hex');
  return recorded;
}

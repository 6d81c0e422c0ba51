import { createRequire } from 'node:module';
import { dataPath } from '../../base/paths.ts';
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
  recorded ??= Buffer.from(
    (createRequire(import.meta.url)(dataPath('knowledge/programs/jax-compile-options.json')) as Recorded).debugOptions,
    'hex',
  );
  return recorded;
}

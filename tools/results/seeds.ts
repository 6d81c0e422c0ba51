/** A run of a plugin that every machine can have, for a directory of results to show. */
export interface Seed {
  product: string;
  version: string;
  /** As for `--plugin`. */
  plugin: string;
  profile: 'full' | 'no-device';
  /** API version of the reference plugin. */
  minor?: number;
}

/** Several versions of two plugins, and two without their device. Versions of XLA's plugin are those of its C API. */
export const SEEDS: readonly Seed[] = [
  { product: 'xla-cpu', version: '0.81', plugin: 'xla-cpu', profile: 'full' },
  { product: 'xla-cpu', version: '0.106', plugin: 'xla-cpu-106', profile: 'full' },
  { product: 'xla-cpu', version: '0.115', plugin: 'xla-cpu-115', profile: 'full' },
  { product: 'reference', version: '0.81', plugin: 'reference', profile: 'full', minor: 81 },
  { product: 'reference', version: '0.117', plugin: 'reference', profile: 'full' },
  { product: 'libtpu', version: '0.0.52', plugin: 'libtpu', profile: 'no-device' },
  { product: 'xla-cuda13', version: '0.12.0.1', plugin: 'xla-cuda13', profile: 'no-device' },
];

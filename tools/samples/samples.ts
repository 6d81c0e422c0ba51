/** A plugin with everything that makes it the one that is meant. */
export interface SamplePlugin {
  /** As `--plugin` takes it. */
  plugin: string;
  args?: readonly string[];
  /** API version that the reference plugin speaks. */
  minor?: number;
  /** A fault of plugins/faults that the reference plugin is given. */
  fault?: string;
}

/** A run whose reports are kept in reports/samples. */
export interface Sample extends SamplePlugin {
  /** Folder below reports/samples. */
  name: string;
  /** What it shows, for the README of the folder. */
  shows: string;
}

export const SAMPLES: readonly Sample[] = [
  {
    name: 'xla-cpu',
    plugin: 'xla-cpu',
    shows: 'a released plugin with failures, some of them known deviations with their evidence',
  },
  { name: 'reference', plugin: 'reference', shows: 'a plugin that does everything, and nothing wrong' },
  {
    name: 'libtpu-no-device',
    plugin: 'libtpu',
    args: ['--profile', 'no-device'],
    shows: 'what can be said of a TPU plugin on a machine without a TPU',
  },
  {
    name: 'xla-cuda13-no-device',
    plugin: 'xla-cuda13',
    args: ['--profile', 'no-device'],
    shows: 'the same for a plugin for NVIDIA GPUs, without one',
  },
];

/** Two runs against each other: an upgrade that brings functions, and a fault that reads results before it returns. */
export const COMPARISON: { name: string; shows: string; old: SamplePlugin; new: SamplePlugin } = {
  name: 'comparison',
  shows:
    'an upgrade from API 0.107 to 0.114 that makes `exponential` less precise, and blocks where an input is not there yet',
  old: { plugin: 'reference', minor: 107 },
  new: { plugin: 'reference', minor: 114, fault: 'numerics-exponential-approximated' },
};

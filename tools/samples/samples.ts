/** A plugin with all its settings. */
export interface SamplePlugin {
  /** As for `--plugin`. */
  plugin: string;
  args?: readonly string[];
  /** API version of the reference plugin. */
  minor?: number;
  /** A fault of plugins/faults to plant in the reference plugin. */
  fault?: string;
}

/** A run whose reports are stored in reports/samples. */
interface Sample extends SamplePlugin {
  /** Directory below reports/samples. */
  name: string;
  /** What it shows, for the README there. */
  shows: string;
}

export const SAMPLES: readonly Sample[] = [
  {
    name: 'xla-cpu',
    plugin: 'xla-cpu',
    shows: 'a released plugin with failures, some of them known deviations with their evidence',
  },
  {
    name: 'reference',
    plugin: 'reference',
    shows: 'a plugin that implements all that the suites check, except outputs of bounded dynamic size',
  },
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

/** Each of these cases shows that the plugin blocks, after a deadline; those of the other suites are enough. */
const args = ['--exclude', 'asynchrony/exchanged:*'];

/** A comparison: an upgrade that adds functions, and a fault that reads results before it returns. */
export const COMPARISON: { name: string; shows: string; old: SamplePlugin; new: SamplePlugin } = {
  name: 'comparison',
  shows:
    'an upgrade from API 0.107 to 0.114 that makes `exponential` less precise, and blocks where an input is not there yet',
  old: { plugin: 'reference', args, minor: 107 },
  new: { plugin: 'reference', args, minor: 114, fault: 'numerics-exponential-approximated' },
};

const selection = ['--suite', 'client/lookup', '--suite', 'client/nodes', '--suite', 'buffers/metadata'];
const night: SamplePlugin = { plugin: 'reference', args: selection };

/** A trend: seven runs, of which one has a fault that is repaired, and the last two have another. */
export const TREND: { name: string; shows: string; runs: readonly SamplePlugin[] } = {
  name: 'trend',
  shows: 'seven runs over time: a fault that came and went, and another one that came to stay',
  runs: [
    ...[night, night],
    { ...night, fault: 'remote-device-not-found' },
    ...[night, night],
    ...[
      { ...night, fault: 'metadata-size-zero' },
      { ...night, fault: 'metadata-size-zero' },
    ],
  ],
};

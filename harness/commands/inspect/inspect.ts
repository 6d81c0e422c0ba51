import type { CommandEnvironment } from '../../base/environment.ts';
import { cleanLine } from '../../base/sanitize.ts';
import { type DeviceOptions, withDevices } from '../../host/devices/with-devices.ts';
import { type LoadResult, loadPlugin, type Wait } from '../../run/plugin/load-plugin.ts';
import { resolveAll } from '../../run/plugin/plugin-setup.ts';
import type { HostProcess } from '../../run/plugin/python-host.ts';
import { forAll } from '../../run/plugin/timeouts.ts';
import { fileFacts } from './file-facts.ts';
import type { Inspection } from './inspection.ts';
import { loadedFacts } from './loaded-facts.ts';

/** Options of `inspect`. */
export interface InspectOptions extends DeviceOptions {
  /** Deadline of loading and initializing, in milliseconds; of `--declare`, of each step. */
  timeout?: number;
  /** Whether a known plugin may be downloaded. */
  fetch: boolean;
  /** Default: with a Python if the plugin needs one. */
  host?: HostProcess;
}

/** A healthy plugin loads in a fraction of this. */
const TIMEOUT_MS = 10_000;

/**
 * Facts from a plugin's file, and from the loaded plugin. Creates no client.
 * @param spec as for `--plugin`
 * @throws PluginError
 */
export async function inspect(
  spec: string,
  options: InspectOptions,
  environment: CommandEnvironment,
  wait: Wait,
): Promise<Inspection> {
  const [plugin] = await resolveAll({ plugin: [spec], fetch: options.fetch, host: options.host }, environment, 'none');
  const { name, library, sizeBytes, sha256, manifest, recognisedBy } = plugin!;
  const { facts: file } = fileFacts(library, process);
  let seen: LoadResult | undefined;
  if (file.unloadable === undefined) {
    const limits = forAll(options.timeout ?? TIMEOUT_MS);
    const ways = { clients: false, binding: 'lazy', explain: true, deadlines: limits } as const;
    seen = await withDevices([plugin!], options, environment, () =>
      wait(`loading ${name}`, loadPlugin(plugin!, ways, environment)),
    );
  }
  const loaded = seen && loadedFacts(seen.facts);
  const failure = seen?.facts.failure;
  return {
    version: '1.0',
    plugin: {
      name,
      path: library,
      sizeBytes,
      sha256,
      manifest: manifest?.name,
      ...(manifest && recognisedBy ? { recognisedBy } : {}),
    },
    file,
    loaded,
    failure,
    warnings: [
      ...plugin!.warnings,
      ...(seen?.notes ?? []).filter((n) => n.level !== 'info').map((n) => cleanLine(n.message)),
    ],
  };
}

import type { CommandEnvironment } from '../../base/environment.ts';
import { withDevices } from '../../host/devices/with-devices.ts';
import { examine } from '../../run/plugin/examine.ts';
import { examineData } from '../../run/plugin/examine-data.ts';
import { examineRecorded } from '../../run/plugin/examine-recorded.ts';
import { type PluginOptions, resolveAll } from '../../run/plugin/plugin-setup.ts';
import { askedBy } from '../../run/plugin/timeouts.ts';
import type { Row } from '../../verdict/frameworks/format.ts';
import { predict } from '../../verdict/frameworks/predict/predict.ts';
import type { Chosen } from '../../verdict/frameworks/types.ts';
import { windowOf } from '../../verdict/frameworks/window.ts';
import { withheldFeaturesOf } from '../../verdict/frameworks/withheld-features.ts';

/** A plugin to check against framework releases. */
export interface CompatOptions extends PluginOptions {
  /** As if ENABLE_PJRT_COMPATIBILITY were set. */
  compatibility?: boolean;
}

/** What is said of one release. */
export type CheckedRelease = Row;

/** The verdict for each release, or why the plugin could not be loaded. */
export type Compatibility =
  | { name: string; minor: number; rows: Row[] }
  | { name: string; failure: string }
  | { interrupted: true };

/**
 * Tries the (first) plugin as a consumer of each of these releases.
 * @param progress receives the current step
 * @throws PluginError, UsageError
 */
export async function compatibility(
  chosen: readonly Chosen[],
  options: CompatOptions,
  environment: CommandEnvironment,
  progress: (text: string) => void,
): Promise<Compatibility> {
  const [plugin] = await resolveAll(options, environment);
  const { name } = plugin!;
  const releases = chosen.map(({ release }) => release);
  const how = { binding: options.binding, deadlines: askedBy(options) };
  const seen = await withDevices([plugin!], options, environment, async () => {
    const calls = await examine(how, environment, plugin!, releases, progress);
    if (!('view' in calls) || calls.view.noClient) return calls;
    const dataFailures = await examineData(how, environment, plugin!, chosen, progress);
    // A release that was asked for alone is worth the time.
    const [only, ...more] = chosen;
    const recorded =
      dataFailures && only && more.length === 0
        ? await examineRecorded(how, environment, plugin!, only, calls.view, progress)
        : [];
    return dataFailures && recorded
      ? { view: { ...calls.view, dataFailures, recorded } }
      : ({ interrupted: true } as const);
  });
  if ('interrupted' in seen) return seen;
  if ('failure' in seen) return { name, ...seen };
  const { view } = seen;
  const rows = chosen.map((release): Row => {
    const prediction = predict(release.framework, release.release, view, options.compatibility);
    const { platformName } = view;
    return {
      ...release,
      prediction,
      window: windowOf(release, view.minor, prediction),
      platform: { name: platformName, withheld: withheldFeaturesOf(release, platformName) },
    };
  });
  return { name, minor: view.minor, rows };
}

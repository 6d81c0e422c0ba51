import { predict } from '../frameworks/predict/predict.ts';
import type { Chosen } from '../frameworks/spec.ts';
import { windowOf } from '../frameworks/window.ts';
import type { ResolvedPlugin } from '../plugins/types.ts';
import type { FrameworkVerdict } from '../report/index.ts';
import { examine } from './examine.ts';
import type { PluginOptions } from './plugin-setup.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * What a release makes of a plugin, as `compat` finds it out: the answer of a run and that of `compat` cannot differ.
 * Undefined when the user interrupted, or when the plugin could not be loaded, which the run says itself.
 */
export async function frameworkVerdict(
  options: PluginOptions,
  around: Surroundings,
  plugin: ResolvedPlugin,
  chosen: Chosen,
): Promise<FrameworkVerdict | undefined> {
  const { framework, release } = chosen;
  const seen = await examine(options, around, plugin, [release.minor], () => {});
  if (!('view' in seen)) return undefined;
  const { noClient: _, ...prediction } = predict(framework, release, seen.view);
  const { standing, text, since, oldestMinor } = windowOf(chosen, seen.view.minor, prediction);
  return {
    framework: framework.name,
    version: release.version,
    title: framework.title,
    date: release.date,
    apiMinor: release.minor,
    ...prediction,
    window: {
      standing,
      text,
      ...(since === undefined ? {} : { since }),
      ...(oldestMinor === undefined ? {} : { oldestMinor }),
    },
  };
}

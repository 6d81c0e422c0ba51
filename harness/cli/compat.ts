import { formatJson, formatMarkdown, formatOne, formatTable, type Row } from '../frameworks/format.ts';
import { FRAMEWORKS, findRelease, loadFramework } from '../frameworks/load.ts';
import { predict } from '../frameworks/predict.ts';
import { exitCode } from '../verdict/exit-codes.ts';
import { examine } from './examine.ts';
import { type PluginOptions, resolveAll } from './plugin-setup.ts';
import type { Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

export interface CompatOptions extends PluginOptions {
  framework?: string;
  compatibility?: 'true' | 'false';
  format: 'text' | 'json' | 'markdown';
}

/**
 * `compat`: what every release of every framework makes of a plugin, or one release in full.
 * @returns the exit code
 */
export async function compat(options: CompatOptions, around: Surroundings): Promise<number> {
  const chosen = wanted(options.framework);
  const [plugin] = await resolveAll(options, around);
  const progress = around.stderr.isTTY === true ? (text: string) => around.stderr.write(`\r\u001b[K${text}`) : () => {};
  const minors = [...new Set(chosen.map(({ release }) => release.minor))];
  const seen = await examine(options, around, plugin!, minors, progress);
  progress('');
  if ('interrupted' in seen) return exitCode('interrupted');
  if ('failure' in seen) {
    around.stderr.write(`error: ${plugin!.name} could not be loaded: ${seen.failure}\n`);
    return exitCode('unusable');
  }
  const { view } = seen;
  const compatible = options.compatibility === undefined ? undefined : options.compatibility === 'true';
  const rows: Row[] = chosen.map(({ framework, release }) => ({
    framework,
    release,
    prediction: predict(framework, release, view, compatible),
  }));
  around.stdout.write(written(rows, options, `${plugin!.name} (API 0.${view.minor})`));
  const bad = rows.some(({ prediction }) => prediction.outcome === 'refuses' || prediction.outcome === 'aborts');
  return options.framework !== undefined && bad ? exitCode('not-conformant') : 0;
}

function written(rows: readonly Row[], options: CompatOptions, pluginLine: string): string {
  if (options.format === 'json') return formatJson(rows);
  if (options.format === 'markdown') return formatMarkdown(rows);
  return options.framework === undefined ? formatTable(rows) : formatOne(rows[0]!, pluginLine);
}

/** The releases that are asked about. @throws UsageError for a release that nobody knows */
function wanted(spec: string | undefined): Pick<Row, 'framework' | 'release'>[] {
  if (spec === undefined) {
    return FRAMEWORKS.map(loadFramework).flatMap((framework) =>
      framework.releases.map((release) => ({ framework, release })),
    );
  }
  const [name, version] = spec.split('@');
  const known = FRAMEWORKS.find((f) => f === name);
  if (!known || !version) {
    throw new UsageError(`--framework ${spec}: expected ${FRAMEWORKS.join(', ')} and a version, such as jax@0.10.2`);
  }
  const framework = loadFramework(known);
  const release = findRelease(framework, version);
  if (!release) {
    const all = framework.releases.map((r) => r.version).join(', ');
    throw new UsageError(
      `--framework ${spec}: nothing is known of that release of ${framework.title}; known are ${all}`,
    );
  }
  return [{ framework, release }];
}

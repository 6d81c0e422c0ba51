import { formatJson, formatMarkdown, formatOne, formatTable, type Row } from '../frameworks/format.ts';
import { formatNeeds, formatNeedsJson, formatNeedsMarkdown } from '../frameworks/format-needs.ts';
import { needsOf } from '../frameworks/needs.ts';
import { predict } from '../frameworks/predict/predict.ts';
import { allReleases } from '../frameworks/spec.ts';
import { windowOf } from '../frameworks/window.ts';
import { type ExitCode, exitCode } from '../verdict/exit-codes.ts';
import { chosenRelease } from './chosen-release.ts';
import { examine } from './examine.ts';
import { type PluginOptions, resolveAll } from './plugin-setup.ts';
import type { Surroundings } from './surroundings.ts';

type Format = 'text' | 'json' | 'markdown';

export interface CompatOptions extends PluginOptions {
  framework?: string;
  compatibility?: 'true' | 'false';
  format: Format;
}

/** `compat --needs`: what a plugin must have for a release. Needs no plugin. @throws UsageError */
export function compatNeeds(spec: string, format: Format): string {
  const chosen = chosenRelease('--needs', spec);
  const write = { text: formatNeeds, json: formatNeedsJson, markdown: formatNeedsMarkdown }[format];
  return write(chosen, needsOf(chosen));
}

/**
 * `compat`: what every release of every framework makes of a plugin, or one release in full.
 * @returns the exit code
 */
export async function compat(options: CompatOptions, around: Surroundings): Promise<ExitCode> {
  const chosen = options.framework === undefined ? allReleases() : [chosenRelease('--framework', options.framework)];
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
  const rows = chosen.map((release): Row => {
    const prediction = predict(release.framework, release.release, view, compatible);
    return { ...release, prediction, window: windowOf(release, view.minor, prediction) };
  });
  const line = `${plugin!.name} (API 0.${view.minor})`;
  if (options.format === 'json') around.stdout.write(formatJson(rows));
  else if (options.format === 'markdown') around.stdout.write(formatMarkdown(rows));
  else around.stdout.write(options.framework === undefined ? formatTable(rows) : formatOne(rows[0]!, line));
  // A table is information; one release is a question with an answer.
  return options.framework === undefined ? exitCode('conformant') : answerOf(rows[0]!);
}

function answerOf({ prediction }: Row): ExitCode {
  switch (prediction.outcome) {
    case 'works':
    case 'limits':
      return exitCode('conformant');
    case 'refuses':
    case 'aborts':
      return exitCode('not-conformant');
    case 'unknown':
      return exitCode(prediction.noClient ? 'unusable' : 'harness-fault');
  }
}

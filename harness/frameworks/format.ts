import type { Prediction } from './predict.ts';
import type { Framework, Release } from './types.ts';

/** One row of the answer. */
export interface Row {
  framework: Framework;
  release: Release;
  prediction: Prediction;
}

/** `works`, `limits`, `refuses at client creation`, … */
export const outcomeText = ({ outcome, moment }: Prediction): string =>
  outcome === 'works'
    ? 'works'
    : outcome === 'limits'
      ? 'works with limits'
      : outcome === 'unknown'
        ? 'unknown'
        : `${outcome} ${moment === 'import' || moment === 'exit' || moment === 'client creation' ? 'at' : 'at the'} ${moment}`;

const why = ({ outcome, reason, limits }: Prediction): string =>
  outcome === 'limits' ? `${limits.length} ${limits.length === 1 ? 'limit' : 'limits'}: ${reason}` : reason;

/** A table over all releases, newest first. */
export function formatTable(rows: readonly Row[]): string {
  const cells = [...rows]
    .reverse()
    .map(({ framework, release, prediction }) => [
      `${framework.title} ${release.version}`,
      `0.${release.minor}`,
      outcomeText(prediction),
      why(prediction),
    ]);
  const widths = [0, 1, 2].map((i) => Math.max(...cells.map((row) => row[i]!.length)));
  return cells
    .map(
      (row) =>
        `${row
          .slice(0, 3)
          .map((c, i) => c.padEnd(widths[i]!))
          .join('  ')}  ${row[3]}\n`,
    )
    .join('');
}

/** The same for a document. */
export function formatMarkdown(rows: readonly Row[]): string {
  const lines = [...rows]
    .reverse()
    .map(
      ({ framework, release, prediction }) =>
        `| ${framework.title} ${release.version} | ${release.date} | 0.${release.minor} | ${outcomeText(prediction)} | ${why(prediction).replaceAll('|', '\\|')} |`,
    );
  return ['| Release | Date | API | Outcome | Why |', '|---|---|---|---|---|', ...lines, ''].join('\n');
}

/** Everything about one release. */
export function formatOne({ framework, release, prediction }: Row, pluginLine: string): string {
  const { message, limits, facts, reason } = prediction;
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `\n${title}\n${lines.map((l) => `  ${l}\n`).join('')}`;
  return `${framework.title} ${release.version} (${release.date}, PJRT C API 0.${release.minor}) with ${pluginLine}: ${outcomeText(prediction)}
  ${reason}
${section('what the user sees', message === undefined ? [] : [message])}${section('limits', limits)}${section('facts', facts)}${section('notes on the release', release.notes)}`;
}

/** For programs. */
export const formatJson = (rows: readonly Row[]): string =>
  `${JSON.stringify(
    rows.map(({ framework, release, prediction }) => ({
      framework: framework.name,
      version: release.version,
      date: release.date,
      apiMinor: release.minor,
      ...prediction,
    })),
    null,
    2,
  )}\n`;

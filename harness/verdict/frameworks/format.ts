import { counted } from '../../base/counted.ts';
import { textTable } from '../../base/text-table.ts';
import type { Prediction } from './prediction.ts';
import { RowNotes } from './row-notes.ts';
import { releaseFacts, releaseName } from './spec.ts';
import type { Chosen } from './types.ts';
import type { Window } from './window.ts';
import type { WithheldFeature } from './withheld-features.ts';

/** One row of the answer. */
export interface Row extends Chosen {
  prediction: Prediction;
  window: Window;
  /** The name of the plugin's platform, and what it costs with this release. */
  platform: { name?: string; withheld: WithheldFeature[] };
}

/** `works`, `works with limits`, `refuses at client creation`, … */
function outcomeText({ outcome, moment }: Pick<Prediction, 'outcome' | 'moment'>): string {
  if (outcome === 'works' || outcome === 'unknown') return outcome;
  if (outcome === 'limits') return 'works with limits';
  if (outcome === 'wrong') return 'computes wrong results';
  return `${outcome} ${moment === 'import' || moment === 'exit' || moment === 'client creation' ? 'at' : 'at the'} ${moment}`;
}

const standingText = ({ standing }: Window): string => (standing === 'unpromised' ? '-' : standing);

/** A row of the table: release, date, API, window, outcome, why. */
const cellsOf = ({ framework, release, prediction, window }: Row, notes: RowNotes): [string, ...string[]] => [
  `${framework.title} ${release.version}`,
  release.date,
  `0.${release.minor}`,
  standingText(window),
  outcomeText(prediction),
  notes.why(prediction),
];

/** A table over all releases, newest first. */
export function formatTable(rows: readonly Row[]): string {
  const newestFirst = [...rows].reverse();
  const notes = new RowNotes(newestFirst.map(({ prediction }) => prediction));
  const cells = newestFirst.map((row) => cellsOf(row, notes).toSpliced(1, 1));
  const below = notes.sections().flatMap(({ title, notes: all }) => {
    const width = Math.max(...all.map(([mark]) => mark.length));
    return [
      '',
      `${title}:`,
      ...textTable(
        all.map(([mark, text]) => [mark.padStart(width), text]),
        { indent: '  ' },
      ),
    ];
  });
  return [
    ...headline(rows),
    '',
    ...textTable([['release', 'API', 'window', 'outcome', 'why'], ...cells]),
    ...below,
    '',
    ...footnotes(rows),
    '',
  ].join('\n');
}

/** The same for a document. */
export function formatMarkdown(rows: readonly Row[]): string {
  const newestFirst = [...rows].reverse();
  const notes = new RowNotes(newestFirst.map(({ prediction }) => prediction));
  const lines = newestFirst.map((row) => {
    const cells = cellsOf(row, notes).map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '));
    return `| ${cells.join(' | ')} |`;
  });
  return [
    ...headline(rows),
    '',
    '| Release | Date | API | Window | Outcome | Why |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
    ...notes
      .sections()
      .flatMap(({ title, notes: all }) => [`${title}:`, '', ...all.map(([mark, text]) => `- ${mark}: ${text}`), '']),
    ...footnotes(rows),
    '',
  ].join('\n');
}

/** How many releases work, and what happens with the newest of each framework. */
function headline(rows: readonly Row[]): string[] {
  const counts = (outcome: Prediction['outcome']): number =>
    rows.filter((row) => row.prediction.outcome === outcome).length;
  const [works, limits, unknown] = [counts('works'), counts('limits'), counts('unknown')];
  const details = [limits > 0 && `${limits} of them with limits`, unknown > 0 && `${unknown} could not be determined`];
  const shown = details.filter(Boolean).join('; ');
  const newest = new Map(rows.map((row) => [row.framework.title, row]));
  const each = [...newest].map(([title, row]) => `${title} ${row.release.version} ${outcomeText(row.prediction)}`);
  return [
    `${works + limits} of ${counted(rows.length, 'release')} ${rows.length === 1 ? 'works' : 'work'} with this plugin${shown ? ` (${shown})` : ''}.`,
    `Newest: ${each.join(', ')}.`,
  ];
}

/** What the table's words mean, and how to go on from it. */
function* footnotes(rows: readonly Row[]): Generator<string> {
  yield 'API: the version of the PJRT C API that the release was built with.';
  const promising = rows.findLast((row) => row.window.weeks !== undefined);
  if (promising) {
    const { framework, window } = promising;
    yield `window: ${framework.title} promises to accept plugins of the last ${window.weeks} weeks before a release. inside: this plugin is one; outside: it is older; newer: it is newer than the release, which promises nothing; -: no promise is known.`;
  }
  const withholding = rows.findLast((row) => row.platform.withheld.length > 0);
  if (withholding) {
    const { framework, release, platform } = withholding;
    yield `Platform name: on a platform named ${platform.name} ${framework.title} ${release.version} does without ${platform.withheld.map((f) => f.feature).join(', ')}, whatever the plugin implements.`;
  }
  if (rows.some((row) => row.prediction.noClient))
    yield 'The plugin creates no client here: what needs one could not be tried. Repeat this on a machine with the device.';
  yield `One release with all reasons: --framework ${releaseName(promising ?? rows.at(-1)!)}`;
}

/** Everything about one release. */
export function formatOne({ framework, release, prediction, window, platform }: Row, pluginLine: string): string {
  const { message, limits, facts, untried, reason } = prediction;
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `\n${title}\n${lines.map((l) => `  ${l.replaceAll('\n', '\n  ')}\n`).join('')}`;
  return [
    `${framework.title} ${release.version} (${release.date}, PJRT C API 0.${release.minor}) with ${pluginLine}: ${outcomeText(prediction)}\n`,
    `  ${reason}\n`,
    section('what the user sees', message === undefined ? [] : [message]),
    section(
      'limits',
      limits.filter((limit) => prediction.outcome !== 'limits' || limits.length > 1 || limit !== reason),
    ),
    section(
      `withheld because of the platform name ${platform.name}`,
      platform.withheld.map(
        ({ feature, effect, names, source }) =>
          `${feature} (only on ${names.join(', ')}): ${effect}\nsource: ${source}`,
      ),
    ),
    section('could not be tried', untried),
    section('policy', [window.text, ...(window.source ? [`source: ${window.source}`] : [])]),
    section('facts', facts),
    section('notes on the release', release.notes),
  ].join('');
}

/** For programs. */
export const formatJson = (rows: readonly Row[]): string =>
  `${JSON.stringify(
    rows.map(({ prediction, window, platform, ...chosen }) => ({
      ...releaseFacts(chosen),
      ...prediction,
      window,
      platform,
    })),
    null,
    2,
  )}\n`;

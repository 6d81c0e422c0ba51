import { cut } from '../../base/sanitize.ts';
import { padded, textTable } from '../../base/text-table.ts';
import { type Paint, painter, type Style } from '../console/paint.ts';
import { CASE_TREND_KINDS, type CaseTrend, type CaseTrendKind } from './case-trends.ts';
import { sparkline } from './sparkline.ts';
import type { Trend } from './trend.ts';
import type { TrendRun } from './trend-run.ts';
import {
  caseText,
  diedIn,
  duration,
  KINDS,
  LEGEND,
  memory,
  passRate,
  percent,
  pluginText,
  programText,
  startText,
  timeText,
  trendLine,
} from './words.ts';

interface TrendTextOptions {
  color?: boolean;
  /** Every case and program. */
  verbose?: boolean;
  /** Only what fails or is unstable, and the last line. */
  quiet?: boolean;
}

/** Entries of one heading before the rest is only counted. */
const SHOWN = 10;
const WIDTH = 400;

const MARKS: Readonly<Record<CaseTrendKind, readonly [mark: string, style: Style]>> = {
  'fails-since': ['✗', 'red'],
  unstable: ['!', 'yellow'],
  flaky: ['!', 'yellow'],
  'fixed-since': ['✓', 'green'],
};

/** The trend for a terminal: the runs, then the cases by what they need, times, memory; the sum of it last. */
export function trendLines(
  trend: Trend,
  { color = false, verbose = false, quiet = false }: TrendTextOptions = {},
): string[] {
  const paint = painter(color);
  const kinds = quiet ? CASE_TREND_KINDS.filter((kind) => kind !== 'fixed-since') : CASE_TREND_KINDS;
  const limit = verbose ? Number.POSITIVE_INFINITY : SHOWN;
  return [
    ...(quiet ? [] : [...runLines(trend, paint), '', ...seriesLines(trend, paint)]),
    ...(quiet ? [] : trend.cautions.map((text) => `${paint('bold', 'caution')}  ${paint('yellow', cut(text, WIDTH))}`)),
    ...(trend.cases.length > 0 ? ['', paint('dim', LEGEND)] : []),
    ...kinds.flatMap((kind) => caseLines(trend, kind, limit, paint)),
    ...(quiet ? [] : [...timeLines(trend, limit, paint), ...programLines(trend, limit, verbose, paint)]),
    '',
    ...(trend.proposals.length > 0 && !quiet
      ? [
          `expectations that would excuse what is unstable or flaky: --expectations FILE writes ${trend.proposals.length}`,
        ]
      : []),
    paint('bold', trendLine(trend)),
  ];
}

const heading = (paint: Paint, [mark, style]: readonly [string, Style], title: string, count: number): string[] => [
  '',
  paint([style, 'bold'], `${mark} ${title} (${count})`),
];

/** Columns of numbers in the table of runs. */
const COLUMNS: readonly (readonly [head: string, of: (run: TrendRun) => string])[] = [
  ['passed', (run) => percent(passRate(run))],
  ['of', ({ tried }) => String(tried)],
  ['failures', ({ failing }) => String(failing)],
  ['known', ({ excused }) => String(excused)],
  ['flaky', ({ counts }) => String(counts.flaky)],
  ['died', (run) => String(diedIn(run))],
  ['time', ({ durationMs }) => duration(durationMs)],
  ['memory', ({ peakRssBytes }) => memory(peakRssBytes)],
];

function runLines({ runs }: Trend, paint: Paint): string[] {
  const heads = ['', 'started (UTC)', 'plugin', 'tool', ...COLUMNS.map(([head]) => head), 'run'];
  const rows = runs.map((run, at) => [
    `${at + 1}`,
    startText(run),
    cut(pluginText(run), 40),
    run.tool,
    ...COLUMNS.map(([, of]) => of(run)),
    `${run.name}${run.incomplete ? paint('yellow', ' (incomplete)') : ''}`,
  ]);
  return textTable([heads.map((head) => paint('bold', head)), ...rows], {
    align: ['right', 'left', 'left', 'left', ...COLUMNS.map(() => 'right' as const), 'left'],
  });
}

/** What is drawn over the runs: its name, its values, and how they are written. */
export const SERIES: readonly (readonly [
  name: string,
  of: (run: TrendRun) => number | undefined,
  text: (value: number) => string,
])[] = [
  ['pass rate', passRate, percent],
  ['failures', ({ failing }) => failing, String],
  ['time', ({ durationMs }) => durationMs, duration],
  ['memory', ({ peakRssBytes }) => peakRssBytes, memory],
];

const seriesLines = ({ runs }: Trend, paint: Paint): string[] =>
  SERIES.flatMap(([name, of, text]) => {
    const values = runs.map(of);
    const known = values.filter((value) => value !== undefined);
    if (known.length === 0) return [];
    const ends = [...new Set([Math.min(...known), Math.max(...known)].map(text))];
    return [`${paint('bold', padded(name, 10))} ${sparkline(values)}  ${ends.join(' to ')}`];
  });

function caseLines(trend: Trend, kind: CaseTrendKind, limit: number, paint: Paint): string[] {
  const found = trend.cases.filter((one) => one.kind === kind);
  if (found.length === 0) return [];
  const { title, about } = KINDS[kind];
  const shown = found.slice(0, limit);
  const lines = shown.flatMap((item) => [
    `  ${paintedStrip(item, paint)}  ${paint('bold', item.case)}`,
    ...[caseText(trend, item), item.finding].map((text) => `      ${cut(text, WIDTH)}`),
  ]);
  const rest = found.length - shown.length;
  const [first, ...others] = heading(paint, MARKS[kind], title, found.length);
  return [
    first!,
    `${others[0]}  ${paint('dim', about)}`,
    ...lines,
    ...(rest > 0 ? [paint('dim', `  and ${rest} more (--verbose, or --format json)`)] : []),
  ];
}

const paintedStrip = ({ strip }: CaseTrend, paint: Paint): string =>
  strip.replace(/[FCT]+|~+|-+/g, (marks) =>
    paint(marks.startsWith('-') ? 'dim' : marks.startsWith('~') ? 'yellow' : 'red', marks),
  );

function timeLines(trend: Trend, limit: number, paint: Paint): string[] {
  const { omitted, records } = trend.times;
  if (omitted !== undefined) return ['', `${paint('bold', 'times')}  not compared: ${omitted}`];
  if (records.length === 0) return ['', `${paint('bold', 'times')}  no function takes more or less time than before`];
  return (['slower', 'faster'] as const).flatMap((verdict) => {
    const found = records.filter((record) => record.verdict === verdict);
    if (found.length === 0) return [];
    const mark = verdict === 'slower' ? (['!', 'yellow'] as const) : (['✓', 'green'] as const);
    const lines = found
      .slice(0, limit)
      .flatMap((record) => [
        `  ${paint('bold', record.function)}${record.suite ? ` in ${record.suite}` : ''}  ${paint('dim', `${duration(record.oldMs)} → ${duration(record.newMs)}`)}`,
        `      ${timeText(trend, record)}`,
      ]);
    const rest = found.length - Math.min(found.length, limit);
    return [
      ...heading(paint, mark, verdict === 'slower' ? 'Slower calls' : 'Faster calls', found.length),
      ...lines,
      ...(rest > 0 ? [paint('dim', `  and ${rest} more (--verbose, or --format json)`)] : []),
    ];
  });
}

function programLines(trend: Trend, limit: number, verbose: boolean, paint: Paint): string[] {
  const found = trend.programs.filter(({ grown }) => grown || verbose);
  if (found.length === 0) return [];
  const shown = found.slice(0, limit);
  const rest = found.length - shown.length;
  return [
    ...heading(paint, ['!', 'yellow'], verbose ? 'Memory of programs' : 'Programs that need more memory', found.length),
    ...shown.flatMap((item) => {
      const series = sparkline(item.bytes.map((bytes) => bytes ?? undefined));
      return [
        `  ${paint('bold', item.program)}  ${item.field}  ${series}`,
        `      ${cut(programText(trend, item), WIDTH)}`,
      ];
    }),
    ...(rest > 0 ? [paint('dim', `  and ${rest} more (--verbose, or --format json)`)] : []),
  ];
}

/** The trend as a text file. */
export function writeText(trend: Trend, write: (chunk: string) => void): void {
  for (const line of trendLines(trend)) write(`${line}\n`);
}

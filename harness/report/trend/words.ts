import { counted } from '../../base/counted.ts';
import { binaryBytes } from '../program-memory.ts';
import type { CaseTrend, CaseTrendKind, Difference } from './case-trends.ts';
import type { ProgramTrend } from './program-trends.ts';
import { frequencyText } from './proposals.ts';
import type { TimeTrend } from './time-trends.ts';
import type { Trend } from './trend.ts';
import type { TrendRun } from './trend-run.ts';

/** Heading of each kind, and its explanation. */
export const KINDS: Readonly<Record<CaseTrendKind, { title: string; about: string }>> = {
  'fails-since': { title: 'Fail since', about: 'passed before, and something is different since then' },
  unstable: { title: 'Unstable', about: 'passed and failed with nothing different, or went to and fro' },
  flaky: { title: 'Flaky in a run', about: 'passed in some attempts of a run and failed in others' },
  'fixed-since': { title: 'Fixed since', about: 'failed before, and something is different since then' },
};

/** What the marks of a strip mean. */
export const LEGEND = '. passed  F failed  C crashed  T timed out  ~ flaky  - not tried';

/** A run as its number and name: `run 8 (reports/2026-11-08)`. */
const runName = ({ runs }: Trend, at: number): string => `run ${at + 1} (${runs[at]!.name})`;

/** The builds of the plugins of a run, or its version if the file is not known: `77aa01bc`. */
const buildText = ({ plugins }: TrendRun): string =>
  plugins.map(({ sha256, platformVersion, name }) => sha256?.slice(0, 8) ?? platformVersion ?? name).join(' + ');

/** API version and build: `0.90 77aa01bc`. */
export const pluginText = (run: TrendRun): string =>
  [run.plugins.map(({ apiVersion }) => apiVersion ?? '?').join(' + '), buildText(run)].join(' ');

/** A start in UTC, to the minute. */
export const startText = ({ startedAt }: TrendRun): string => startedAt.slice(0, 16).replace('T', ' ');

/** Share of the tried cases that passed; nothing if none was tried. */
export const passRate = ({ passed, tried }: TrendRun): number | undefined => (tried === 0 ? undefined : passed / tried);

/** As `99.1 %`; only all is 100 %, and only none is 0 %. */
export function percent(share: number | undefined): string {
  if (share === undefined) return '–';
  const tenths = Math.round(share * 1000);
  return `${(Math.min(Math.max(tenths, share > 0 ? 1 : 0), share < 1 ? 999 : 1000) / 10).toFixed(1)} %`;
}

/** `940 ms`, `2.5 s`, `4 min 03 s`. */
export function duration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  if (milliseconds < 1000) return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

export const memory = (bytes: number | undefined): string => (bytes === undefined ? '–' : binaryBytes(bytes));

/** Cases whose process died or hung. */
export const diedIn = ({ counts }: TrendRun): number => counts.crash + counts.timeout;

/** All in one line: `10 runs of foo, 2026-11-01 to 2026-11-10: 2 cases fail since one of them, 3 are unstable`. */
export function trendLine(trend: Trend): string {
  const { plugins, runs, cases } = trend;
  const days = [runs[0]!, runs.at(-1)!].map((run) => startText(run).slice(0, 10));
  const number = (kind: CaseTrendKind): number => cases.filter((one) => one.kind === kind).length;
  const parts = [
    [number('fails-since'), 'fails since one of them', 'fail since one of them'],
    [number('unstable'), 'is unstable', 'are unstable'],
    [number('flaky'), 'is flaky', 'are flaky'],
    [number('fixed-since'), 'is fixed', 'are fixed'],
  ] as const;
  const said = parts
    .filter(([count]) => count > 0)
    .map(([count, one, many], at) => `${at === 0 ? counted(count, 'case') : count} ${count === 1 ? one : many}`);
  const span = days[0] === days[1] ? days[0] : `${days[0]} to ${days[1]}`;
  const steady = `every case ends alike in all runs that tried it`;
  return `${counted(runs.length, 'run')} of ${plugins.join(' + ') || 'no plugin'}, ${span}: ${said.join(', ') || steady}`;
}

const DIFFERENT: Readonly<Record<Difference, (run: TrendRun) => string>> = {
  plugin: (run) => `another build of the plugin (${buildText(run)})`,
  tool: ({ tool }) => `another version of the tool (${tool})`,
  suite: () => 'another file of the suite',
  settings: () => 'other settings (profile, accuracy profile or create options)',
  machine: ({ machine }) => `another machine (${machine})`,
};

/** `fails since run 8 (reports/8), with another build of the plugin (77aa01bc)`; of others, how often. */
export function caseText(trend: Trend, item: CaseTrend): string {
  const { kind, since, strip } = item;
  const often = frequencyText(item, trend.runs.length);
  const untried = strip.endsWith('-') ? '; not tried in the newest run' : '';
  if (!since) return `${often}${untried}`;
  const run = trend.runs[since.run]!;
  const verb = kind === 'fails-since' ? 'fails' : 'passes';
  const changed = since.changed.map((what) => DIFFERENT[what](run)).join(' and ');
  return `${verb} since ${runName(trend, since.run)}, with ${changed}; ${often}${untried}`;
}

/** `2.01× as slow since run 8 (reports/8), over 214 cases`. */
export function timeText(trend: Trend, { verdict, ratio, since, cases }: TimeTrend): string {
  const times = verdict === 'slower' ? `${ratio.toFixed(2)}× as slow` : `${(1 / ratio).toFixed(2)}× as fast`;
  return `${times} since ${runName(trend, since)}, over ${counted(cases, 'case')}`;
}

/** `64.0 KiB → 256 KiB (4.00×) from run 1 (a) to run 10 (j), most of it in run 8 (h)`. */
export function programText(trend: Trend, { bytes, from, to, since }: ProgramTrend): string {
  const [old, now] = [bytes[from]!, bytes[to]!];
  const ratio = old > 0 ? ` (${(now / old).toFixed(2)}×)` : '';
  const where =
    since === undefined ? '' : since === to && to === from + 1 ? '' : `, most of it in ${runName(trend, since)}`;
  return `${binaryBytes(old)} → ${binaryBytes(now)}${ratio} from ${runName(trend, from)} to ${runName(trend, to)}${where}`;
}

import type { Count } from '../../model/values.ts';
import type { NamedRun } from '../compare/side.ts';
import { type CaseTrend, caseTrends } from './case-trends.ts';
import { differencesOf } from './differences.ts';
import { type ProgramTrend, programTrends } from './program-trends.ts';
import { type Proposal, proposalsFor } from './proposals.ts';
import { type TimeTrends, timeTrends } from './time-trends.ts';
import { type TrendRun, trendRun } from './trend-run.ts';

/**
 * What changed over several runs of a plugin: a pure function of their logs, and the source of the trend's text, JSON
 * (schemas/trend.schema.json) and HTML page. All strings are clean, single lines. Runs are numbered by their place in `runs`, from 0.
 */
export interface Trend {
  /** Names of the plugins of the newest run. */
  plugins: string[];
  /** The oldest first. */
  runs: TrendRun[];
  /** What makes the runs hard to compare: other tools, suites or machines, unfinished runs. */
  cautions: string[];
  /** Cases that did not end alike in all runs that tried them, by kind. */
  cases: CaseTrend[];
  /** Indices of the runs whose times and memory are compared: complete, and of the machine, tool and profile of the newest. */
  alike: Count[];
  times: TimeTrends;
  /** Programs whose memory changed, as the plugin says. */
  programs: ProgramTrend[];
  /** Entries for an expectations file that would excuse what is unstable or flaky. */
  proposals: Proposal[];
}

/** The newest of the runs, in the order of their start. */
export const newestOf = (given: readonly NamedRun[], last = given.length): NamedRun[] =>
  [...given].sort((a, b) => startOf(a) - startOf(b)).slice(-last);

/** The trend of two runs or more; of many, of the newest only. */
export function trendOf(given: readonly NamedRun[], last?: number): Trend {
  const named = newestOf(given, last);
  const runs = named.map(trendRun);
  const newest = runs.at(-1)!;
  const alike = runs.flatMap((run, at) => (isLike(run, newest) ? [at] : []));
  const cases = caseTrends(named);
  return {
    plugins: newest.plugins.map(({ name }) => name),
    runs,
    cautions: differencesOf(named),
    cases,
    alike,
    times: timeTrends(named, alike),
    programs: programTrends(named, alike),
    proposals: proposalsFor(cases, runs.length, [...named.at(-1)!.run.cases.keys()]),
  };
}

/** Runs that say no time stay where they are. */
const startOf = ({ run }: NamedRun): number => Date.parse(run.header!.startedAt) || 0;

const isLike = ({ machine, tool, profile, incomplete }: TrendRun, newest: TrendRun): boolean =>
  !incomplete && machine === newest.machine && tool === newest.tool && profile === newest.profile;

import { cleanLine } from '../../base/sanitize.ts';
import { type CaseRun, type Header, type Run, statusOf } from '../../model/run.ts';
import type { Counts, Status } from '../../model/status.ts';
import type { Count, Milliseconds } from '../../model/values.ts';
import { isExcused, redCounts, standingOf } from '../../verdict/standing.ts';
import { recordedVerdict, type Verdict } from '../../verdict/verdict.ts';
import { isIncomplete, machineOf } from '../compare/cautions.ts';
import type { NamedRun } from '../compare/side.ts';

/** The plugin of a run, as far as it is known. */
interface TrendPlugin {
  name: string;
  platformName?: string;
  platformVersion?: string;
  /** `0.90`. */
  apiVersion?: string;
  /** Of its file: another one is another build. */
  sha256?: string;
}

/** One run of a trend. The counts are those of its other reports. */
export interface TrendRun {
  /** As given; of shards, all of them. */
  name: string;
  startedAt: string;
  tool: string;
  profile: string;
  host: string;
  /** Its kind: `linux x64, 2 CPUs`. */
  machine: string;
  plugins: TrendPlugin[];
  verdict: Verdict;
  /** Cases have no result because it was interrupted, or no plugin could be used: what it has counts. */
  incomplete: boolean;
  /** Of all planned cases, by status. */
  counts: Counts;
  cases: Count;
  /** Cases that say something about the plugin: neither unsupported nor skipped, not run or ended by an internal error. */
  tried: Count;
  /** Of these, cases in which every MUST holds: `pass` or `warn`. */
  passed: Count;
  /** Cases that make the run anything but good. */
  failing: Count;
  /** Cases whose failure is known, expected or waived, and does not fail the run. */
  excused: Count;
  /** Missing if the log has no end. */
  durationMs?: Milliseconds;
  /** Greatest peak of any worker. */
  peakRssBytes?: Count;
}

const TRIED: readonly Status[] = ['pass', 'warn', 'fail', 'crash', 'timeout', 'flaky'];

/** Whether a case says something about the plugin. */
export const isTried = (item: CaseRun): boolean => TRIED.includes(statusOf(item));

/** The facts of a run. */
export function trendRun({ name, run }: NamedRun): TrendRun {
  const { counts } = run;
  const header = run.header!;
  const verdict = recordedVerdict(run);
  const weighing = header.options ?? {};
  const { peakRssBytes, footer } = run;
  return {
    name: cleanLine(name),
    startedAt: cleanLine(header.startedAt),
    tool: cleanLine(header.tool.version),
    profile: cleanLine(header.profile),
    host: cleanLine(header.host.name),
    machine: cleanLine(machineOf(header)),
    plugins: pluginsOf(run, header),
    verdict: { ...verdict, line: cleanLine(verdict.line) },
    incomplete: isIncomplete(run),
    counts,
    cases: run.cases.size,
    tried: TRIED.reduce((sum, status) => sum + counts[status], 0),
    passed: counts.pass + counts.warn,
    failing: Object.values(redCounts(run)).reduce((sum, count) => sum + count, 0),
    excused: [...run.cases.values()].filter((item) => isExcused(standingOf(item, weighing))).length,
    ...(footer ? { durationMs: footer.durationMs } : {}),
    ...(peakRssBytes === undefined ? {} : { peakRssBytes }),
  };
}

/** Those of the header, with what is known if they were loaded. */
const pluginsOf = (run: Run, header: Header): TrendPlugin[] =>
  header.plugins.map(({ name }, at) => {
    const { platformName, platformVersion, apiVersion, sha256 } = run.plugins[at] ?? {};
    const known = {
      ...{ platformName, platformVersion, sha256 },
      apiVersion: apiVersion && `${apiVersion.major}.${apiVersion.minor}`,
    };
    const texts = Object.entries(known).flatMap(([key, text]) => (text ? [[key, cleanLine(text)]] : []));
    return { name: cleanLine(name), ...Object.fromEntries(texts) };
  });

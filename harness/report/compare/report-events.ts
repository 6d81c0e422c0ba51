import type { CaseResult } from '../../model/case-result.ts';
import { EVENTS_VERSION, type Event, type PlannedCase } from '../../model/events.ts';
import type { Counts } from '../../model/run.ts';
import { STATUSES } from '../../model/status.ts';
import type { JsonReport, JsonReportCase, JsonReportSuite } from '../json.ts';

/** The log of the run that a JSON report describes, as far as the report has it; times of events are missing. */
export function reportEvents(report: JsonReport): Event[] {
  const { tool, startedAt, argv, host, profile, options, shard, reproduce, plugins, expectations, numerics } = report;
  const header: Event = {
    type: 'header',
    version: EVENTS_VERSION,
    tool: tool!,
    startedAt: startedAt!,
    argv: argv ?? [],
    host: host!,
    profile: profile!,
    ...(numerics ? { numerics: { profile: numerics.profile, from: numerics.from } } : {}),
    options,
    shard,
    ...(expectations ? { expectations: { files: expectations.files, date: expectations.date } } : {}),
    plugins: plugins.map(({ name, path }) => ({ name, path })),
    reproduce: reproduce!,
  };
  return [
    header,
    ...report.suites.map(suiteEvent),
    ...plugins.flatMap((plugin): Event[] => ('sha256' in plugin ? [{ type: 'plugin', plugin }] : [])),
    ...report.frameworks.map((verdict): Event => ({ type: 'framework', verdict })),
    ...report.suites.flatMap(({ cases }) => cases.flatMap(caseEvents)),
    ...report.notes.map((note): Event => ({ type: 'note', ...note })),
    ...(expectations ? [{ type: 'expectations', entries: expectations.entries } as const] : []),
    ...(report.judgement ? [{ type: 'mustpass', judgement: report.judgement } as const] : []),
    ...peak(report),
    ...end(report),
  ];
}

const PLANNED = ['id', 'name', 'index', 'line', 'title', 'level', 'covers', 'tags', 'informative'] as const;

const suiteEvent = ({ suite, file, title, sha256, cases }: JsonReportSuite): Event => ({
  type: 'suite',
  suite,
  file,
  title,
  sha256,
  cases: cases.map((item) => parted(item, PLANNED)[0] as PlannedCase),
});

/** Without a duration there is no result: the run ended before it. */
function caseEvents({ reproduce, ...item }: JsonReportCase): Event[] {
  if (item.durationMs === undefined) return [];
  const rest = parted(item, PLANNED)[1] as CaseResult;
  const result: CaseResult = { ...{ findings: [], nativeMs: 0, calls: 0 }, ...rest };
  return [{ type: 'case', id: item.id, worker: 0, atMs: 0, result }];
}

/** The existing members with these names, and all others. */
function parted(whole: object, names: readonly string[]): [chosen: object, rest: object] {
  const entries = Object.entries(whole);
  const chosen = entries.filter(([name]) => names.includes(name));
  return [Object.fromEntries(chosen), Object.fromEntries(entries.filter(([name]) => !names.includes(name)))];
}

const peak = ({ peakRssBytes }: JsonReport): Event[] =>
  peakRssBytes === undefined ? [] : [{ type: 'worker', worker: 0, what: 'exit', pid: 0, atMs: 0, peakRssBytes }];

function end({ complete, finishedAt, durationMs, summary, verdict, interrupted }: JsonReport): Event[] {
  if (!complete) return [];
  const [counts] = parted(summary, STATUSES) as [Counts, object];
  return [
    {
      type: 'footer',
      finishedAt: finishedAt!,
      durationMs: durationMs ?? 0,
      counts,
      exitCode: verdict.exitCode,
      verdict: verdict.line,
      interrupted,
    },
  ];
}

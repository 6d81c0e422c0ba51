import type { CaseResult } from '../../model/case-result.ts';
import { EVENTS_VERSION, type Event, type HeaderEvent, type PlannedCase, type SuiteEvent } from '../../model/events.ts';
import { zeroCounts } from '../../model/run.ts';
import type { Counts } from '../../model/status.ts';
import type { JsonReport, JsonReportCase, JsonReportSuite } from '../json.ts';

/** The log of the run that a JSON report describes, as far as the report has it; times of events are missing. */
export function reportEvents(report: JsonReport): Event[] {
  const { expectations, judgement, plugins, frameworks, notes, suites } = report;
  return [
    headerEvent(report),
    ...suites.map(suiteEvent),
    ...plugins.flatMap((plugin): Event[] => ('sha256' in plugin ? [{ type: 'plugin', plugin }] : [])),
    ...frameworks.map((verdict): Event => ({ type: 'framework', verdict })),
    ...suites.flatMap(({ cases }) => cases.flatMap(caseEvents)),
    ...notes.map((note): Event => ({ type: 'note', ...note })),
    ...(expectations ? [{ type: 'expectations', entries: expectations.entries } as const] : []),
    ...(judgement ? [{ type: 'mustpass', judgement } as const] : []),
    ...peak(report),
    ...end(report),
  ];
}

// The compiler asks here for each member that reports get and events do not have, and for each of a planned case.
const NOT_OF_HEADER: Record<Exclude<keyof JsonReport, keyof HeaderEvent>, true> = {
  ...{ finishedAt: true, durationMs: true, peakRssBytes: true, complete: true, interrupted: true, verdict: true },
  ...{ summary: true, exercised: true, precision: true, observed: true, rootCauses: true, capabilities: true },
  ...{ frameworks: true, judgement: true, notes: true, suites: true, requirements: true },
};
const NOT_OF_SUITE: Record<Exclude<keyof JsonReportSuite, keyof SuiteEvent>, true> = {
  durationMs: true,
  counts: true,
};
const PLANNED: Record<keyof PlannedCase, true> = {
  ...{ id: true, name: true, index: true, file: true, line: true, title: true, level: true, covers: true, tags: true },
  informative: true,
};
const NOT_OF_RESULT: Record<Exclude<keyof JsonReportCase, keyof CaseResult>, true> = {
  ...PLANNED,
  ...{ rootCause: true, reproduce: true },
};

function headerEvent(report: JsonReport): Event {
  const { expectations, numerics, plugins } = report;
  return {
    ...(without(report, NOT_OF_HEADER) as HeaderEvent),
    type: 'header',
    version: EVENTS_VERSION,
    argv: report.argv ?? [],
    ...(numerics ? { numerics: { profile: numerics.profile, from: numerics.from } } : {}),
    ...(expectations ? { expectations: { files: expectations.files, date: expectations.date } } : {}),
    plugins: plugins.map(({ name, path }) => ({ name, path })),
  };
}

const suiteEvent = (suite: JsonReportSuite): Event => ({
  type: 'suite',
  ...(without(suite, NOT_OF_SUITE) as Omit<SuiteEvent, 'type'>),
  cases: suite.cases.map((item) => only(item, PLANNED) as PlannedCase),
});

/** Without a duration there is no result: the run ended before it. */
function caseEvents(item: JsonReportCase): Event[] {
  if (item.durationMs === undefined) return [];
  const result = { findings: [], nativeMs: 0, calls: 0, ...without(item, NOT_OF_RESULT) } as unknown as CaseResult;
  return [{ type: 'case', id: item.id, worker: 0, atMs: 0, result }];
}

const only = (whole: object, names: object): object =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => name in names));

const without = (whole: object, names: object): object =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !(name in names)));

const peak = ({ peakRssBytes }: JsonReport): Event[] =>
  peakRssBytes === undefined ? [] : [{ type: 'worker', worker: 0, what: 'exit', pid: 0, atMs: 0, peakRssBytes }];

function end({ complete, finishedAt, durationMs, summary, verdict, interrupted }: JsonReport): Event[] {
  if (!complete) return [];
  return [
    {
      type: 'footer',
      finishedAt: finishedAt!,
      durationMs: durationMs ?? 0,
      counts: only(summary, zeroCounts()) as Counts,
      exitCode: verdict.exitCode,
      verdict: verdict.line,
      interrupted,
    },
  ];
}

import type { CaseRun, Run } from '../model/run.ts';
import type { Status } from '../model/status.ts';
import type { ListedCase, MustpassList } from './list.ts';
import { type Waiver, waiverOf } from './waiver.ts';

/**
 * What a run says of a listed case.
 * passed: its MUSTs hold · not-offered: it is about something that the plugin does not offer and need not · not-applicable:
 * the plugin's API version does not have it · waived: it failed, and a waiver permits that · failed: a MUST is violated, or
 * something that every plugin offers is not there · missing: the run has no result for it
 */
export type Standing = 'passed' | 'not-offered' | 'not-applicable' | 'waived' | 'failed' | 'missing';

const STANDINGS: readonly Standing[] = ['passed', 'not-offered', 'not-applicable', 'waived', 'failed', 'missing'];

/**
 * How a result stands: the rule of the programme, as data (docs/conformance-programme.md). A SHOULD may be violated. An
 * internal error or a skipped case proves nothing about the plugin, so its case has no result.
 */
const STANDING_OF: Readonly<Record<Status, { required: Standing; other: Standing }>> = {
  pass: { required: 'passed', other: 'passed' },
  warn: { required: 'passed', other: 'passed' },
  fail: { required: 'failed', other: 'failed' },
  crash: { required: 'failed', other: 'failed' },
  timeout: { required: 'failed', other: 'failed' },
  flaky: { required: 'failed', other: 'failed' },
  unsupported: { required: 'failed', other: 'not-offered' },
  skip: { required: 'missing', other: 'missing' },
  error: { required: 'missing', other: 'missing' },
  notrun: { required: 'missing', other: 'missing' },
};

/** A listed case with its result. */
export interface JudgedCase {
  id: string;
  standing: Standing;
  status: Status;
  /** The area of its suite: `buffers`. */
  area: string;
  /** The first finding, or the reason. */
  why?: string;
  waiver?: Waiver;
}

/** What a run says about a list. */
export interface Judgement {
  passes: boolean;
  version: string;
  profile: string;
  /** Of the plugin's C API, if it could be read. */
  apiMinor?: number;
  counts: Record<Standing, number>;
  /** In the order of the list. */
  cases: JudgedCase[];
  /** Why it does not pass, apart from its cases. */
  obstacles: string[];
}

/** Judges the run of one plugin by a list. @param waivers those that apply to this product and run */
export function judge(list: MustpassList, run: Run, waivers: readonly Waiver[] = []): Judgement {
  const apiMinor = run.plugins[0]?.apiVersion?.minor;
  const { renames = {} } = list.release;
  const cases = list.cases.map((listed) =>
    judgedCase(listed, run.cases.get(renames[listed.id] ?? listed.id), apiMinor, waivers),
  );
  const counts = Object.fromEntries(
    STANDINGS.map((standing) => [standing, cases.filter((one) => one.standing === standing).length]),
  ) as Record<Standing, number>;
  const obstacles = obstaclesOf(run, counts);
  const passes = obstacles.length === 0 && counts.failed === 0 && counts.missing === 0;
  const { version } = list.release;
  const { profile } = list;
  return { passes, version, profile, ...(apiMinor === undefined ? {} : { apiMinor }), counts, cases, obstacles };
}

function judgedCase(
  { id, since, required }: ListedCase,
  item: CaseRun | undefined,
  apiMinor: number | undefined,
  waivers: readonly Waiver[],
): JudgedCase {
  const { result } = item ?? {};
  const status = result?.status ?? 'notrun';
  const standing = STANDING_OF[status][required ? 'required' : 'other'];
  const judged = { id, status, area: id.split(/[/:]/, 1)[0]! };
  const why = result?.findings[0]?.message ?? result?.reason;
  // What an older plugin passes nevertheless still counts as passed.
  if (apiMinor !== undefined && since > apiMinor && status === 'unsupported')
    return { ...judged, standing: 'not-applicable' };
  const waiver = standing === 'failed' ? waiverOf(waivers, id) : undefined;
  return {
    ...judged,
    standing: waiver ? 'waived' : standing,
    ...(why === undefined || standing === 'passed' ? {} : { why }),
    ...(waiver ? { waiver } : {}),
  };
}

function obstaclesOf(run: Run, counts: Record<Standing, number>): string[] {
  const failure = run.plugins.find((plugin) => plugin.failure);
  const breach = run.notes.find((note) => note.breach);
  return [
    ...(failure ? [`${failure.name}: ${oneLine(failure.failure!.message)}`] : []),
    ...(breach ? [`outside any case, ${oneLine(breach.message)}`] : []),
    ...(run.footer?.interrupted ? ['the run was interrupted'] : []),
    ...(counts.passed === 0 ? ['no case passed'] : []),
  ];
}

const oneLine = (text: string): string => text.trim().split(/\r?\n/, 1)[0] ?? '';

/** `passes mustpass 1.0 (profile full, API 0.81): 2,410 of 2,410, 269 not offered`. */
export function judgementLine({ passes, version, profile, apiMinor, counts, obstacles }: Judgement): string {
  const api = apiMinor === undefined ? 'API unknown' : `API 0.${apiMinor}`;
  const asked = counts.passed + counts.failed + counts.missing + counts.waived;
  const parts = [
    ...(passes ? [] : [`${number(counts.failed)} failed`, `${number(counts.missing)} missing`]),
    `${number(counts.passed)} of ${number(asked)}${passes ? '' : ' passed'}`,
    ...(counts.waived > 0 ? [`${number(counts.waived)} waived`] : []),
    ...(counts['not-offered'] > 0 ? [`${number(counts['not-offered'])} not offered`] : []),
    ...obstacles,
  ];
  return `${passes ? 'passes' : 'does not pass'} mustpass ${version} (profile ${profile}, ${api}): ${parts.join(', ')}`;
}

const number = (value: number): string => value.toLocaleString('en-US');

import { type JudgedCase, type Judgement, STANDINGS, type Standing, type Waiver } from '../../model/judgement.ts';
import type { CaseRun, Run } from '../../model/run.ts';
import type { Status } from '../../model/status.ts';
import type { ListedCase, MustpassList } from './list.ts';
import { waiverOf } from './waiver.ts';

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
  return { passes, version, profile, apiMinor, counts, cases, obstacles };
}

/** The record of a judgement in the log, where the cases that passed have events of their own. */
export const recorded = ({ cases, ...judgement }: Judgement): Judgement => ({
  ...judgement,
  cases: cases.filter(({ standing }) => standing === 'failed' || standing === 'missing' || standing === 'waived'),
});

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
    waiver,
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

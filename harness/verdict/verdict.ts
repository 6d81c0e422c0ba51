import { counted } from '../base/counted.ts';
import { tallied } from '../base/grouping.ts';
import { type FrameworkVerdict, isUnusable } from '../model/framework-verdict.ts';
import type { PluginFacts } from '../model/plugin-facts.ts';
import { type CaseRun, type Run, statusOf } from '../model/run.ts';
import { isUnexpectedPass, type Weighing, weighingOf } from './breach.ts';
import { exercised, exercisedText } from './exercised.ts';
import { type ExitCode, type ExitName, exitCode, exitName } from './exit-codes.ts';
import { expectationCounts, staleEntries, staleness } from './expectations.ts';
import { judgementLine } from './judgement-line.ts';
import { failsRun, type Standing, standingOf } from './standing.ts';
import { wordOf } from './words.ts';

export interface VerdictOptions extends Weighing {
  /** Named in the line; default: the profile of the log. */
  profile?: string;
  /**
   * How the run ended. Default: by the log (whether it has a footer). The runner, which needs the verdict to write the
   * footer, passes it.
   */
  ending?: 'complete' | 'interrupted' | 'cut-off';
}

export interface Verdict {
  exitCode: ExitCode;
  name: ExitName;
  /** The reason for the exit code, on one line. */
  line: string;
}

/**
 * The exit code of a run and the reason. The first that applies: interrupted (130) · unsupported API version (4) · violated
 * MUST (1) · plugin unusable (3) · internal error, or nothing proven (5) · mustpass list not passed (1) · stale expectations, if
 * they count (1) · passes (0). A violated MUST stands, whatever else went wrong later; an unusable plugin explains everything that did not run, so it
 * precedes internal errors.
 */
export function verdict(run: Run, options: VerdictOptions = {}): Verdict {
  const weighing: Weighing = { ...run.header?.options, ...weighingOf(options) };
  const profile = options.profile ?? run.header?.profile;
  const ending = options.ending ?? endingOf(run);
  const proven = run.counts.pass + run.counts.warn;
  const failed = failureOf(run, weighing);
  const isOfList = run.header?.mustpass !== undefined;

  if (ending === 'interrupted') {
    const { size } = run.cases;
    const done = size - run.counts.notrun;
    const sofar = failed
      ? `${failed}; ${done} of ${size} have a result`
      : `no violated MUST in ${done} of ${size} cases`;
    return answer('interrupted', `interrupted: ${sofar}`);
  }
  const refused = run.plugins.find((plugin) => plugin.failure?.stage === 'version');
  if (refused)
    return answer('version-refused', `API version refused: ${refused.name}: ${oneLine(refused.failure!.message)}`);
  const refusing = run.frameworks.find(isUnusable);
  if (refusing || failed) {
    return answer(
      'fails',
      `${wordOf(false, isOfList)}: ${[refusing && frameworkLine(refusing), failed].filter(Boolean).join('; ')}`,
    );
  }
  const unusable = run.plugins.find(({ failure }) => failure && failure.ended !== 'fault');
  if (unusable && (proven === 0 || proven < run.cases.size)) return answer('unusable', unusableLine(unusable, proven));
  const fault = faultOf(run, ending, proven);
  if (fault) return answer('internal-error', `no verdict: ${fault}`);
  if (run.mustpass?.passes === false) return answer('fails', `${wordOf(false, true)}: ${judgementLine(run.mustpass)}`);
  const stale = stalenessOf(run, weighing);
  if (stale) return answer('fails', `expectations are stale: ${stale}`);
  return answer('passes', passingLine(run, weighing, profile, proven));
}

/** The verdict in the log's footer, or a computed one if the footer has none that a run can have. */
export function recordedVerdict(run: Run): Verdict {
  const name = run.footer && exitName(run.footer.exitCode);
  // The exit code for wrong options belongs to no run, and to no log.
  return run.footer && name && name !== 'usage' ? answer(name, run.footer.verdict) : verdict(run);
}

const answer = (name: ExitName, line: string): Verdict => ({ exitCode: exitCode(name), name, line });

function endingOf(run: Run): VerdictOptions['ending'] {
  if (!run.footer) return 'cut-off';
  return run.footer.interrupted ? 'interrupted' : 'complete';
}

/** Why cases, or events between them, fail the run. */
function failureOf(run: Run, weighing: Weighing): string | undefined {
  // A stale expectation violates nothing: it is reported last, and only if nothing else failed.
  const requirements: Weighing = { ...weighing, strictExpectations: false };
  const violated = [...run.cases.values()].flatMap((item) => (failsRun(item, requirements) ? [statusOf(item)] : []));
  if (violated.length > 0) {
    const what = weighing.strict ? 'a MUST or SHOULD' : 'a MUST';
    const part = partText(run);
    return `${violated.length} of ${run.cases.size} cases violate ${what} (${tally(violated)})${part ? `; ${part}` : ''}`;
  }
  const breach = run.notes.find((note) => note.breach);
  return breach && `outside any case, ${oneLine(breach.message)}`;
}

/** The stale expectations, if they fail the run. */
function stalenessOf(run: Run, weighing: Weighing): string | undefined {
  if (!weighing.strictExpectations) return undefined;
  const passed = [...run.cases.values()].filter((item) => isUnexpectedPass(item.result) && failsRun(item, weighing));
  const stale = staleEntries(run);
  const parts = [
    passed.length > 0 && `${counted(passed.length, 'case')} passed unexpectedly`,
    stale.length > 0 &&
      `${counted(stale.length, 'entry', 'entries')} ${tally(stale.map((entry) => staleness(entry)!))}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : undefined;
}

function faultOf(run: Run, ending: VerdictOptions['ending'], proven: number): string | undefined {
  const { counts } = run;
  if (run.faults.length > 0) return `the log contradicts itself: ${run.faults[0]}`;
  if (counts.error > 0) return `${counted(counts.error, 'case')} ended in an internal error of the harness or suite`;
  const note = run.notes.find((entry) => entry.level === 'error');
  if (note) return `internal error: ${oneLine(note.message)}`;
  if (ending === 'cut-off') return 'the log has no footer: the run is unfinished';
  if (counts.notrun > 0) return `${counted(counts.notrun, 'planned case')} did not run`;
  if (proven === 0) return `nothing was proven: none of ${run.cases.size} cases passed`;
  const unknown = run.frameworks.find(({ outcome }) => outcome === 'unknown');
  if (unknown) return `${frameworkLine(unknown)}`;
  return undefined;
}

function unusableLine({ name, failure }: PluginFacts, proven: number): string {
  const what = {
    load: 'could not be loaded',
    initialize: 'could not be initialised',
    client: 'created no client',
    version: 'was refused',
  }[failure!.stage];
  const code = failure!.code ? `${failure!.code}: ` : '';
  const rest = proven > 0 ? `; ${counted(proven, 'case')} without it passed` : '';
  return `nothing proven: ${name} ${what}: ${code}${oneLine(failure!.message)}${rest}`;
}

/** The verdict of a framework release on one line: `JAX 0.10.2 aborts at client creation: …`. */
export function frameworkLine({ title, version, outcome, moment, reason, limits }: FrameworkVerdict): string {
  const name = `${title} ${version}`;
  switch (outcome) {
    case 'works':
      return `${name} works`;
    case 'limits':
      return `${name} works with ${counted(limits.length, 'limit')}`;
    case 'wrong':
      return `${name} computes wrong results: ${oneLine(reason)}`;
    case 'unknown':
      return `whether ${name} works could not be determined: ${oneLine(reason)}`;
    default:
      return `${name} ${outcome} ${moment?.startsWith('first') ? 'at the' : 'at'} ${moment}: ${oneLine(reason)}`;
  }
}

/** Which part of its profile's cases a run has; undefined if it has all. Only a whole profile can pass. */
export function partText({ header, notes, cases }: Run): string | undefined {
  const { selection, shard } = header ?? {};
  const leftOut = notes.reduce((sum, { fact }) => sum + (fact?.kind === 'budget' ? fact.cases : 0), 0);
  const parts = [
    shard && `shard ${shard.index} of ${shard.count}`,
    selection && `${selection.cases} of ${selection.of} cases selected`,
    leftOut > 0 && `${cases.size - leftOut} of ${cases.size} cases within the budget`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : undefined;
}

function passingLine(run: Run, weighing: Weighing, profile: string | undefined, proven: number): string {
  const { counts } = run;
  const { expectedFailures, unexpectedPasses } = expectationCounts(run, weighing);
  const standing = (word: Standing): CaseRun[] =>
    [...run.cases.values()].filter((item) => standingOf(item, weighing) === word);
  const informative = standing('outside');
  const part = partText(run);
  const all = part !== undefined && proven === run.cases.size;
  const parts = [
    ...run.frameworks.map(frameworkLine),
    all ? 'all passed' : `${proven} of ${run.cases.size} cases passed`,
  ];
  if (counts.warn > 0) parts.push(`${counts.warn} of them with warnings`);
  const silent = withoutComparison(run);
  if (silent > 0) parts.push(`${proven - silent} compared`, `${silent} had nothing to compare with`);
  if (informative.length > 0) parts.push(`${informative.length} failed outside the gate (${someOf(informative)})`);
  const accepted = weighing.acceptKnown ? standing('known').length : 0;
  if (accepted > 0) parts.push(`${counted(accepted, 'known deviation')} accepted`);
  if (expectedFailures > 0) parts.push(`${expectedFailures} failed as expected`);
  if (unexpectedPasses > 0) parts.push(`${unexpectedPasses} passed unexpectedly`);
  const allowed = standing('flaky').length;
  if (allowed > 0) parts.push(`${allowed} flaky`);
  if (counts.unsupported > 0) parts.push(`${counts.unsupported} unsupported`);
  if (counts.skip > 0) parts.push(`${counts.skip} skipped`);
  parts.push(...lostProcesses(run));
  // If cases could not be tried, how much of the contract was exercised.
  if (counts.unsupported + counts.skip > 0) parts.push(exercisedText(exercised(run)));
  return `${part ?? wordOf(true, run.mustpass?.passes === true)}${profile ? ` (profile ${profile}${weighing.strict ? ', strict' : ''})` : ''}: ${parts.join(', ')}`;
}

/** What no result shows. */
function lostProcesses({ notes }: Run): string[] {
  const facts = notes.flatMap(({ fact }) => fact ?? []);
  const killed = facts.filter(({ kind }) => kind === 'memory').length;
  const escaped = facts.reduce((sum, fact) => sum + (fact.kind === 'escaped' ? fact.processes : 0), 0);
  return [
    ...(killed > 0 ? [`${counted(killed, 'worker')} killed for want of memory`] : []),
    ...(escaped > 0 ? [`${counted(escaped, 'process', 'processes')} outlived workers`] : []),
  ];
}

/** Programs of the user that ran, and of whose results nothing was known. */
const withoutComparison = ({ header, cases }: Run): number =>
  header?.profile === 'programs'
    ? [...cases.values()].filter(
        ({ result }) => /^(pass|warn)$/.test(result?.status ?? '') && !result!.numerics?.length,
      ).length
    : 0;

/** The first cases by name, and how many more there are. */
function someOf(cases: readonly CaseRun[]): string {
  const named = cases.slice(0, 3).map(({ plan }) => plan.id);
  return [...named, ...(cases.length > 3 ? [`and ${cases.length - 3} more`] : [])].join(', ');
}

const tally = (statuses: readonly string[]): string =>
  [...tallied(statuses)].map(([status, count]) => `${count} ${status}`).join(', ');

const oneLine = (text: string): string => text.trim().split(/\r?\n/, 1)[0] ?? '';

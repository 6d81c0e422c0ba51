import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { counted } from '../../base/counted.ts';
import { suggestion } from '../../base/did-you-mean.ts';
import { UsageError } from '../../base/usage-error.ts';
import type { Selection } from '../../model/events.ts';
import { type Collection, collect } from '../../suite/collections/collection.ts';
import type { LoadedSuite } from '../../suite/load.ts';
import { formatProblem, subjectOf } from '../../suite/problem.ts';
import { PROFILES, type Profile } from '../../suite/profiles.ts';
import { selectCases, type TestList } from '../../suite/select.ts';
import { isApart } from '../../suite/standard.ts';
import type { Case } from '../../suite/types.ts';
import { FRAMEWORKS } from '../../verdict/frameworks/load.ts';
import { partOf } from '../../verdict/frameworks/profile.ts';
import { isRecorded } from '../../verdict/frameworks/recorded-sessions.ts';
import { chosenRelease, releaseName } from '../../verdict/frameworks/spec.ts';
import type { Chosen } from '../../verdict/frameworks/types.ts';
import { checkDefinitions } from '../../verdict/mustpass/check-definitions.ts';
import { type MustpassList, mustpassList } from '../../verdict/mustpass/list.ts';
import { type ShardOfSelection, shardOfSelection } from '../fleet/shard-of-selection.ts';
import { failedCases } from './failed-cases.ts';
import { loadAllSuites } from './load-suites.ts';

/** Options that select cases; the same for `run` and `list`. A case must match all of them. */
export interface SelectionOptions {
  /** Where the cases come from instead of suites. */
  collection?: Collection;
  /** Files or directories with additional suites. */
  suites?: string[];
  /** Ids of suites, or prefixes of them. */
  suite?: string[];
  /** Globs on case ids. */
  tests?: string[];
  tag?: string[];
  /** Ids of requirements that the cases cover. */
  requirement?: string[];
  /** Globs on case ids to exclude. */
  exclude?: string[];
  /** A file that lists ids. */
  testsFrom?: string;
  /** Earlier runs, of which only the cases that failed are selected: directories, logs or JSON reports. */
  failedOf?: string[];
  /** `1/4`: one part of the cases. */
  shard?: string;
  /** A file of recorded durations, by which shards are balanced. */
  durations?: string;
  /** The name of a profile, or a release: `jax@0.10.2`. */
  profile?: string;
  /** Version of a mustpass list: its cases of the profile. */
  mustpass?: string;
}

/** The result of a selection. */
export interface Selected {
  suites: LoadedSuite[];
  cases: Case[];
  profile: Profile;
  /** The release of the profile, if it has one. */
  release?: Chosen;
  /** Which part of the profile is selected, if it is not all of it. */
  selection?: Selection;
  /** The list that the cases are those of. */
  mustpass?: MustpassList;
  /** Which part of the selection the cases are. */
  shard?: ShardOfSelection;
}

/**
 * Loads the suites and selects cases.
 * @param cwd base of relative paths
 * @param apart whether cases that only a profile of their own includes are selected too; default: if cases are named
 * @throws SuiteError, UsageError
 */
export async function selectedCases(
  options: SelectionOptions,
  cwd: string,
  apart: boolean = namesCases(options),
): Promise<Selected> {
  const { profile, release } = profileOf(options.profile ?? 'full');
  const { collection } = options;
  const mustpass = options.mustpass === undefined ? undefined : mustpassList(options.mustpass, options.profile);
  const suites = collection ? await collect(collection, cwd) : await loadAllSuites(options.suites, cwd, options.suite);
  const cases = suites.flatMap((suite) => suite.cases);
  if (mustpass) checkDefinitions(mustpass, cases);
  const inProfile = mustpass ? inList(mustpass) : await ofProfile(profile);
  const failed = options.failedOf && failedCases(options.failedOf, cwd);
  const within = (testCase: Case): boolean => inProfile(testCase) || (!mustpass && apart && isApart(testCase));
  const selection = selectCases(cases, {
    within: (testCase) => (failed?.has(testCase.id) ?? true) && within(testCase),
    suites: options.suite,
    ids: options.tests,
    tags: options.tag,
    requirements: options.requirement,
    exclude: options.exclude,
    ...(options.testsFrom === undefined ? {} : { testsFrom: testList(options.testsFrom, cwd) }),
  });
  const { unmatched } = selection;
  if (unmatched.length > 0) throw new UsageError(unmatched.map(formatProblem).join('\n'), subjectOf(unmatched));
  if (selection.cases.length === 0) {
    if (failed)
      throw new UsageError(
        `none of the ${counted(failed.size, 'case')} that failed in ${options.failedOf!.join(' and ')} is among those that the other options select`,
        { options: ['failed-of', 'last-failed'] },
      );
    throw new UsageError('no case is selected; `pjrt-conformance list` shows what there is');
  }
  const { cases: mine, shard } = await shardOfSelection(selection.cases, options, cwd);
  // Where suites are named, others may not even be loaded.
  const all = options.suite && !collection ? (await loadAllSuites(options.suites, cwd)).flatMap((s) => s.cases) : cases;
  const part = partOfProfile(selection.cases, all, inProfile);
  return { suites, cases: mine, profile, release, selection: part, mustpass, shard };
}

/**
 * How much of a profile is selected; undefined if it is all of it. Cases that only their name selects come on top of the
 * profile's.
 */
function partOfProfile(
  selected: readonly Case[],
  all: readonly Case[],
  inProfile: (testCase: Case) => boolean,
): Selection | undefined {
  const chosen = new Set(selected.map(({ id }) => id));
  const rest = all.filter((testCase) => !chosen.has(testCase.id) && inProfile(testCase)).length;
  return rest === 0 ? undefined : { cases: chosen.size, of: chosen.size + rest };
}

/** Whether a case is in a list, under the id of today. */
function inList({ cases, release: { renames = {} } }: MustpassList): (testCase: Case) => boolean {
  const ids = new Set(cases.map(({ id }) => renames[id] ?? id));
  return ({ id }) => ids.has(id);
}

/** Whether cases are selected by name, and no profile decides. */
const namesCases = ({ profile, suite, tests, testsFrom, failedOf, tag }: SelectionOptions): boolean =>
  profile === undefined && [suite, tests, testsFrom, failedOf, tag].some((criterion) => criterion !== undefined);

/**
 * A profile that chooses cases always does so among all of the package, so that its choice is independent of other criteria.
 */
async function ofProfile(profile: Profile): Promise<(testCase: Case) => boolean> {
  if (!profile.choose) return (testCase) => profile.includes(testCase);
  const all = (await loadAllSuites()).flatMap((suite) => suite.cases);
  const own = new Set(all.map(({ id }) => id));
  const chosen = profile.choose(all);
  return (testCase) => chosen.has(testCase.id) || !own.has(testCase.id);
}

/** The cases of an existing plan, whatever its original selection. @throws SuiteError, UsageError */
export async function selectedAgain(
  options: SelectionOptions,
  planned: Pick<Map<string, unknown>, 'has'>,
  cwd: string,
): Promise<Selected> {
  const { suites, suite, profile, mustpass, collection } = options;
  const loaded = { collection, suites, suite, ...(profile ? { profile } : {}), ...(mustpass ? { mustpass } : {}) };
  const all = await selectedCases(loaded, cwd, true);
  return { ...all, cases: all.cases.filter(({ id }) => planned.has(id)) };
}

/** Whether a profile is that of a framework's release, or means to be. */
export const isRelease = (profile: string | undefined): boolean =>
  profile !== undefined && (profile.includes('@') || FRAMEWORKS.some((framework) => framework === profile));

/** A named profile, or that of a release. @throws UsageError */
function profileOf(name: string): Pick<Selected, 'profile' | 'release'> {
  const named = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined;
  if (named) return { profile: named };
  if (!isRelease(name)) {
    const names = [...Object.keys(PROFILES), ...FRAMEWORKS];
    throw new UsageError(
      `--profile ${name}: unknown profile; there are ${Object.keys(PROFILES).join(', ')}, and releases of frameworks such as jax@0.10.2${suggestion(name, names)}`,
      { options: ['profile'] },
    );
  }
  const release = chosenRelease('--profile', name);
  return {
    release,
    profile: {
      description: `what ${releaseName(release)} calls and relies on`,
      clients: true,
      includes: (testCase) => (!isApart(testCase) || isRecorded(testCase)) && partOf(release, testCase) !== undefined,
    },
  };
}

/** The lines of `--tests-from`; `-` is standard input. @throws UsageError */
export function testList(file: string, cwd: string): TestList {
  const path = resolve(cwd, file);
  try {
    if (file !== '-') checkReadable(path);
    const text = readFileSync(file === '-' ? 0 : path, 'utf8');
    return { file, lines: text.replace(/^\uFEFF/, '').split('\n') };
  } catch (error) {
    throw new UsageError(`--tests-from ${file}: cannot be read: ${(error as Error).message}`, {
      options: ['tests-from'],
    });
  }
}

/** A pipe is allowed (`--tests-from <(grep …)`), but a device may be endless. */
function checkReadable(path: string): void {
  const facts = statSync(path);
  if (facts.isDirectory()) throw new Error('it is a directory, not a file');
  if (facts.isCharacterDevice() || facts.isBlockDevice()) throw new Error('it is a device, not a file');
}

import { compilationsOf } from './compilations.ts';
import { valueText } from './parameters.ts';
import type { Case, ParamValue } from './types.ts';

/**
 * The profile `standard`: as much as few compilations allow, for plugins with slow compilers. Chosen by cost and by what
 * cases exercise, both derived from the suites, so that new cases are considered automatically:
 *
 * 1. the programs that do what many others do (suites/numerics/together.yaml), if nearly every plugin can compile them;
 * 2. every MUST, also of optional parts, by the cheapest cases; of optional parts that need a process, and so a client, of
 * their own, or that programs of 1 have, only up to `COMPILATIONS` in total; and the other programs that do what many do;
 * 3. every other requirement, and every value that distinguishes rows of a matrix, if that needs no further compilation;
 * 4. up to `COMPILATIONS` in total, those that add the most requirements and values, preferably on common types; single
 * operations last, because the programs of 1 have them.
 */
export function standardCases(cases: readonly Case[]): ReadonlySet<string> {
  const choice = new Choice();
  const candidates = cases.filter((c) => !isOptIn(c)).map(candidateOf);
  const small = candidates.filter((c) => !c.large);
  const isCheap = ({ own }: Candidate): boolean => own <= MOST_OF_ONE;
  const cheap = small.filter(isCheap);
  const together = candidates.filter(isTogether);
  const ofMany = new Set(together.flatMap(({ requirements }) => requirements));
  const parts = ({ testCase, requirements }: Candidate) => (testCase.level === 'opt' ? requirements : []);
  const musts = (one: Candidate) => {
    if (one.testCase.level === 'must') return one.requirements;
    return one.testCase.isolation === 'process' ? [] : parts(one).filter((what) => !ofMany.has(what));
  };
  choice.cover(
    together.filter(({ common }) => common),
    exercises,
  );
  // What many do in one program proves nothing on a plugin that refuses one of them.
  choice.cover(
    small.filter((c) => !isTogether(c)),
    musts,
  );
  // If no small case covers it, a large one must.
  choice.cover(candidates, musts);
  choice.cover(together, exercises, { compilations: COMPILATIONS });
  choice.cover(cheap, parts, { compilations: COMPILATIONS });
  choice.cover(candidates.filter(isCheap), exercises, { compilations: 0 });
  const others = cheap.filter(({ testCase }) => !testCase.tags.includes('numerics'));
  for (const some of [others, cheap]) choice.cover(some, exercises, { compilations: COMPILATIONS });
  return choice.ids;
}

/** Whether a case is in no profile but its own, because it costs too much: it runs with that profile, or if it is named. */
export const isApart = ({ tags }: Pick<Case, 'tags'>): boolean => APART.some((tag) => tags.includes(tag));

const APART = ['models', 'forms', 'sessions'];

/** Whether a case runs only where a manifest allows what it costs, for the full run, or with a profile of its own. */
export const isOptIn = (testCase: Case): boolean =>
  isApart(testCase) || (testCase.requires.manifest?.includes('largeArrays') ?? false);

/** Maximum number of compilations, unless the MUSTs need more. */
export const COMPILATIONS = 81;
/** Maximum number of compilations for a case that covers no MUST. */
const MOST_OF_ONE = 8;

/** Seconds on a slow plugin; only the proportions matter. */
const SECONDS = { case: 0.1, compilation: 20, process: 2 };
/** Number of elements from which a case is about size. */
const LARGE = 10_000;

/** What is known about a case in advance. */
interface Candidate {
  testCase: Case;
  requirements: readonly string[];
  /** What its family checks here, and the values that distinguish it from other rows. */
  values: readonly string[];
  /** Whether nearly every plugin has all element types that it names, and may refuse nothing. */
  common: boolean;
  shared: readonly string[];
  own: number;
  large: boolean;
}

function candidateOf(testCase: Case): Candidate {
  const family = `${testCase.suite}:${testCase.name}`;
  const params = Object.entries(testCase.params);
  const parts = params.flatMap(([, value]) => partsOf(value));
  return {
    testCase,
    requirements: testCase.covers.map((id) => `${REQUIREMENT}${id}`),
    values: [
      ...testCase.covers.map((id) => `${family} ${id}`),
      ...params.map(([name, value]) => `${family} ${name}=${valueText(value)}`),
    ],
    common:
      [...parts, ...(testCase.requires.dtypes ?? [])].every((part) => !TYPE.test(part) || COMMON.has(part)) &&
      testCase.steps.every(({ refusable }) => refusable === undefined),
    ...compilationsOf(testCase),
    large: params.some(([, value]) => isLarge(value)),
  };
}

const isTogether = ({ shared }: Candidate): boolean => shared.some((program) => program.startsWith('together/'));

/** All that a case adds if no other case has it. */
const exercises = ({ requirements, values }: Candidate): string[] => [...requirements, ...values];

const REQUIREMENT = 'requirement ';

/** What no case has yet is worth more if it is a requirement than if it is one more check or value. */
const worthOf = (news: readonly string[]): number =>
  news.reduce((sum, what) => sum + (what.startsWith(REQUIREMENT) ? 4 : 1), 0);

/** Cases that need the same further compilations: after the first of them the others cost none. */
interface Group {
  compilations: number;
  /** What they would cover together. */
  news: Set<string>;
  common: boolean;
  cases: { candidate: Candidate; news: readonly string[] }[];
}

/** Extends a set of cases by the best ratio of benefit to cost. */
class Choice {
  readonly ids = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #covered = new Set<string>();
  /** The compilations of the chosen cases. */
  compilations = 0;

  /**
   * Adds cases until none adds anything new, the one with the best ratio of benefit to cost first; ties in the order of the
   * suites.
   * @param about what a case would cover
   * @param compilations of all cases together, 0 for only those already chosen
   */
  cover(
    candidates: readonly Candidate[],
    about: (candidate: Candidate) => readonly string[],
    { compilations = Number.POSITIVE_INFINITY }: { compilations?: number } = {},
  ): void {
    let left = candidates
      .filter((c) => !this.ids.has(c.testCase.id))
      .map((candidate) => ({ candidate, news: about(candidate) }));
    for (;;) {
      left = left
        .map(({ candidate, news }) => ({ candidate, news: news.filter((what) => !this.#covered.has(what)) }))
        .filter(({ news }) => news.length > 0);
      const groups = this.#groups(left).filter(
        (group) => group.compilations === 0 || this.compilations + group.compilations <= compilations,
      );
      const group = best(
        groups,
        (g) => (worthOf([...g.news]) + (g.common ? 0.5 : 0)) / (SECONDS.case + g.compilations * SECONDS.compilation),
      );
      if (!group) return;
      const worth = ({ candidate, news }: Group['cases'][number]): number =>
        worthOf(news.filter((what) => !this.#covered.has(what))) /
        (SECONDS.case + (candidate.testCase.isolation === 'process' ? SECONDS.process : 0));
      const queue = group.cases.map((item) => ({ item, worth: worth(item) })).sort((a, b) => b.worth - a.worth);
      // Everything that costs no compilation at once: what one covers, the others need not.
      for (let first = queue.shift(); first && first.worth > 0; first = queue.shift()) {
        // Worth only falls: what is still worth as much as the next is the best.
        const now = worth(first.item);
        if (now === first.worth) {
          this.#take(first.item.candidate);
          if (group.compilations > 0) break;
        } else if (now > 0) {
          const place = queue.findIndex((other) => other.worth < now);
          queue.splice(place < 0 ? queue.length : place, 0, { item: first.item, worth: now });
        }
      }
    }
  }

  #groups(left: Group['cases']): Group[] {
    const groups = new Map<string, Group>();
    for (const item of left) {
      const { shared, own, testCase } = item.candidate;
      const programs = shared.filter((program) => !this.#programs.has(program));
      const key = own > 0 ? testCase.id : programs.join('\n');
      const group = groups.get(key) ?? {
        compilations: own + programs.length,
        news: new Set(),
        common: false,
        cases: [],
      };
      groups.set(key, group);
      group.cases.push(item);
      group.common ||= item.candidate.common;
      for (const what of item.news) group.news.add(what);
    }
    return [...groups.values()];
  }

  #take(candidate: Candidate): void {
    const { testCase, shared, own } = candidate;
    this.compilations += own;
    for (const program of shared) {
      if (!this.#programs.has(program)) this.compilations++;
      this.#programs.add(program);
    }
    for (const what of exercises(candidate)) this.#covered.add(what);
    this.ids.add(testCase.id);
  }
}

/** The first of the elements with the highest value. */
function best<T>(elements: readonly T[], worth: (element: T) => number): T | undefined {
  let found: { element: T; worth: number } | undefined;
  for (const element of elements) {
    const value = worth(element);
    if (found === undefined || value > found.worth) found = { element, worth: value };
  }
  return found?.element;
}

/** The parts of a value that may be element types: a name, of a program for instance, has several. */
const partsOf = (value: ParamValue): string[] => valueText(value).split(/[/_,]/);

const TYPE = /^(pred|[suc]\d+|b?f\d\w*)$/;
const COMMON: ReadonlySet<string> = new Set(['pred', 's32', 'u32', 'f32']);

const isLarge = (value: ParamValue): boolean =>
  Array.isArray(value) ? value.reduce((a: number, b: number) => a * Math.abs(b), 1) >= LARGE : false;

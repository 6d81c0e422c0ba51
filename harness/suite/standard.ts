import { compilationsOf } from './compilations.ts';
import type { Case, ParamValue } from './types.ts';

/**
 * The profile `standard`: the most informative cases in the least time, for plugins with slow compilers. Chosen by cost and
 * by what cases cover, both derived from the suites, so that new cases are considered automatically:
 *
 * 1. every MUST, also of optional parts, by the cheapest cases; of optional parts that need a process, and so a client, of
 * their own, only up to `COMPILATIONS` in total;
 * 2. every other requirement, and one case of each family, if that needs no further compilation;
 * 3. up to `COMPILATIONS` in total, those that add the most requirements, families, and kinds of elements, preferably on
 * common types;
 * 4. one case of a matrix for each kind of elements, as long as it costs no compilation and the total is at most `CASES`.
 */
export function standardCases(cases: readonly Case[]): ReadonlySet<string> {
  const choice = new Choice();
  const candidates = cases.filter((c) => !isOptIn(c)).map(candidateOf);
  const small = candidates.filter((c) => !c.large);
  const cheap = small.filter((c) => c.own <= MOST_OF_ONE);
  const musts = ({ testCase, requirements }: Candidate) =>
    testCase.level === 'must' || (testCase.level === 'opt' && testCase.isolation !== 'process') ? requirements : [];
  const parts = ({ testCase, requirements }: Candidate) => (testCase.level === 'opt' ? requirements : []);
  choice.cover(small, musts);
  // If no small case covers it, a large one must.
  choice.cover(candidates, musts);
  choice.cover(cheap, parts, { compilations: COMPILATIONS });
  choice.cover(cheap, (c) => [...c.requirements, c.family], { compilations: 0 });
  choice.cover(cheap, (c) => [...c.requirements, c.family, c.kind], { compilations: COMPILATIONS, cases: CASES });
  choice.cover(cheap, (c) => [c.kind], { compilations: 0, cases: CASES });
  return choice.ids;
}

/** Whether a case is in no profile but its own, because it costs too much: it runs with that profile, or if it is named. */
export const isApart = ({ tags }: Pick<Case, 'tags'>): boolean => tags.includes('models');

/** Whether a case runs only where a manifest allows what it costs, for the full run, or with a profile of its own. */
export const isOptIn = (testCase: Case): boolean =>
  isApart(testCase) || (testCase.requires.manifest?.includes('largeArrays') ?? false);

/** Maximum number of compilations, unless the MUSTs need more. */
export const COMPILATIONS = 77;
/** Maximum number of cases. */
export const CASES = 800;
/** Maximum number of compilations for a case that covers no MUST. */
const MOST_OF_ONE = 2;

/** Seconds on a slow plugin; only the proportions matter. */
const SECONDS = { case: 0.1, compilation: 20, process: 2 };
/** Number of elements from which a case is about size. */
const LARGE = 10_000;

/** What is known about a case in advance. */
interface Candidate {
  testCase: Case;
  requirements: readonly string[];
  family: string;
  /** The family with the kind of elements of the case. */
  kind: string;
  /** Whether nearly every plugin has all element types that it names. */
  common: boolean;
  shared: readonly string[];
  own: number;
  large: boolean;
}

function candidateOf(testCase: Case): Candidate {
  const family = `${testCase.suite}:${testCase.name}`;
  const types = elementTypes(testCase);
  const kinds = types.map(kindOf).sort();
  return {
    testCase,
    requirements: testCase.covers.map((id) => `requirement ${id}`),
    family,
    kind: `${family} ${[...new Set(kinds)].join(' ')}`,
    common: types.every((type) => COMMON.has(type)),
    ...compilationsOf(testCase),
    large: Object.values(testCase.params).some(isLarge),
  };
}

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
   * @param limits `compilations`: of all cases together, 0 for only those already chosen
   */
  cover(
    candidates: readonly Candidate[],
    about: (candidate: Candidate) => readonly string[],
    limits: { compilations?: number; cases?: number } = {},
  ): void {
    const { compilations = Number.POSITIVE_INFINITY, cases = Number.POSITIVE_INFINITY } = limits;
    let left = candidates
      .filter((c) => !this.ids.has(c.testCase.id))
      .map((candidate) => ({ candidate, news: about(candidate) }));
    while (this.ids.size < cases) {
      left = left
        .map(({ candidate, news }) => ({ candidate, news: news.filter((what) => !this.#covered.has(what)) }))
        .filter(({ news }) => news.length > 0);
      const groups = this.#groups(left).filter(
        (group) => group.compilations === 0 || this.compilations + group.compilations <= compilations,
      );
      const group = best(
        groups,
        (g) => (g.news.size + (g.common ? 0.5 : 0)) / (SECONDS.case + g.compilations * SECONDS.compilation),
      );
      if (!group) return;
      // Everything that costs no compilation at once: what one covers, the others need not.
      const most = group.compilations === 0 ? group.cases.length : 1;
      for (let taken = 0; taken < most && this.ids.size < cases; taken++) {
        const chosen = best(group.cases, ({ candidate, news }) => {
          const left = news.filter((what) => !this.#covered.has(what)).length;
          return left / (SECONDS.case + (candidate.testCase.isolation === 'process' ? SECONDS.process : 0));
        });
        if (!chosen || chosen.news.every((what) => this.#covered.has(what))) break;
        this.#take(chosen.candidate);
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

  #take({ testCase, requirements, family, kind, shared, own }: Candidate): void {
    this.compilations += own;
    for (const program of shared) {
      if (!this.#programs.has(program)) this.compilations++;
      this.#programs.add(program);
    }
    for (const what of [family, kind, ...requirements]) this.#covered.add(what);
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

/** Names of element types among the parameters of a case, alone or as part of a program name. */
const elementTypes = ({ params }: Case): string[] =>
  Object.values(params).flatMap((value) =>
    typeof value === 'string' ? value.split(/[/_,]/).filter((part) => kindOf(part) !== 'other') : [],
  );

const COMMON: ReadonlySet<string> = new Set(['pred', 's32', 'u32', 'f32']);

/** Types that plugins usually support together. */
const KINDS: readonly [string, RegExp][] = [
  ['pred', /^pred$/],
  ['wide integer', /^[su]64$/],
  ['signed', /^s(8|16|32)$/],
  ['unsigned', /^u(8|16|32)$/],
  ['half', /^b?f16$/],
  ['single', /^f32$/],
  ['double', /^f64$/],
  ['complex', /^c(64|128)$/],
  ['float8', /^f8e/],
  ['narrow', /^([su][124]|f4e\w+|f6e\w+)$/],
];

const kindOf = (type: string): string => KINDS.find(([, pattern]) => pattern.test(type))?.[0] ?? 'other';

const isLarge = (value: ParamValue): boolean =>
  Array.isArray(value) ? value.reduce((a: number, b: number) => a * Math.abs(b), 1) >= LARGE : false;

import { closest } from '../base/did-you-mean.ts';
import { matchesCase } from './case-glob.ts';
import { fileProblem, type SuiteProblem, show } from './problem.ts';
import type { Case } from './types.ts';

/** What to run. Kinds of criteria intersect; entries of one kind add up. No criteria select everything. */
export interface SelectOptions {
  /** Suite ids; `buffers` also includes every suite below `buffers/`. */
  suites?: readonly string[];
  /** Globs on ids; see matchesCase. */
  ids?: readonly string[];
  tags?: readonly string[];
  requirements?: readonly string[];
  /** A list of ids, without blank lines and lines that begin with `#`. */
  testsFrom?: TestList;
  /** Globs on ids to exclude. */
  exclude?: readonly string[];
  /** Only these of the rest. Cannot be misspelt: it is no error if it leaves nothing of another criterion. */
  within?: (candidate: Case) => boolean;
}

/** A file with one id per line. */
export interface TestList {
  file: string;
  lines: readonly string[];
}

interface Selection {
  /** Selected cases in their original order. */
  cases: Case[];
  /** Criteria that match no case: a misspelling must not silently run nothing. */
  unmatched: SuiteProblem[];
}

/** Applies the criteria. */
export function selectCases(all: readonly Case[], options: SelectOptions): Selection {
  const unmatched: SuiteProblem[] = [];
  const keep = [
    by(all, options.suites, unmatched, 'suite', inSuite, () => suitesOf(all)),
    by(all, options.ids, unmatched, 'tests', matcher, () => idsOf(all), nearGlob),
    byList(all, options.tags, unmatched, 'tag', (c) => c.tags),
    byList(all, options.requirements, unmatched, 'requirement', (c) => c.covers),
    listed(all, options.testsFrom, unmatched),
  ];
  const drop = by(all, options.exclude, unmatched, 'exclude', matcher, () => idsOf(all), nearGlob);
  const { within = () => true } = options;
  const cases = all.filter((c) => within(c) && keep.every((test) => !test || test(c)) && !drop?.(c));
  return { cases, unmatched };
}

type Test = (candidate: Case) => boolean;

function by(
  all: readonly Case[],
  entries: readonly string[] | undefined,
  unmatched: SuiteProblem[],
  option: string,
  toTest: (entry: string) => Test,
  known: () => string[],
  nearest: (entry: string, all: readonly Case[]) => string | undefined = (entry) => closest(entry, known()),
): Test | undefined {
  if (!entries) return undefined;
  const tests = entries.map(toTest);
  for (const [i, entry] of entries.entries()) {
    if (all.some(tests[i]!)) continue;
    const help = helpOf(entry, nearest(entry, all), known());
    unmatched.push(fileProblem(`--${option}`, `nothing matches ${show(entry)}`, { option, help }));
  }
  return (candidate) => tests.some((test) => test(candidate));
}

/** By names that a case has a list of. */
const byList = (
  all: readonly Case[],
  entries: readonly string[] | undefined,
  unmatched: SuiteProblem[],
  option: string,
  of: (c: Case) => readonly string[],
): Test | undefined =>
  by(
    all,
    entries,
    unmatched,
    option,
    (entry) => (c) => of(c).includes(entry),
    () => distinctOf(all, of),
  );

/** A glob whose text before the first star matches existing cases. */
function nearGlob(glob: string, all: readonly Case[]): string | undefined {
  const [, head = '', end = '', tail = ''] = /^([^*]*?)([/:]?)(\*.*)?$/s.exec(glob) ?? [];
  const known = end === '' ? idsOf(all) : suitesOf(all);
  const near = closest(head, tail === '' || end !== '' ? known : [...known, ...suitesOf(all)]);
  return near === undefined ? undefined : `${near}${end}${tail}`;
}

/** Finding the closest name compares all of them; a list without any match is another kind of mistake. */
const MAX_HELPED = 20;

// Lists are long, so ids are looked up in a map.
function listed(all: readonly Case[], list: TestList | undefined, unmatched: SuiteProblem[]): Test | undefined {
  if (!list) return undefined;
  const [file, option] = [`--tests-from ${list.file}`, 'tests-from'];
  const known = new Set(idsOf(all));
  const wanted = new Set<string>();
  let helped = 0;
  for (const [index, line] of list.lines.entries()) {
    const id = line.trim();
    if (id === '' || id.startsWith('#')) continue;
    wanted.add(id);
    if (known.has(id)) continue;
    const help = helped++ < MAX_HELPED ? helpOf(id, closest(id, known), [...known]) : undefined;
    const position = { line: index + 1, column: 1 };
    unmatched.push(fileProblem(file, `nothing matches ${show(id)}`, { option, position, help }));
  }
  if (wanted.size === 0) unmatched.push(fileProblem(file, 'it contains no id', { option, expected: 'one per line' }));
  return (candidate) => wanted.has(candidate.id) || wanted.has(familyOf(candidate));
}

function helpOf(entry: string, nearest: string | undefined, known: readonly string[]): string {
  const near = nearest ?? known.find((name) => name.includes(entry.replaceAll('*', '')));
  return near === undefined ? 'see the output of `list`' : `did you mean "${near}"?`;
}

const inSuite = (suite: string): Test => {
  const id = suite.replace(/\/$/, '');
  return (c) => c.suite === id || c.suite.startsWith(`${id}/`);
};

const familyOf = (c: Case): string => `${c.suite}:${c.name}`;

const matcher =
  (glob: string): Test =>
  (c) =>
    matchesCase(glob, c.id);

const distinctOf = (all: readonly Case[], of: (c: Case) => readonly string[]): string[] => [
  ...new Set(all.flatMap(of)),
];

/** `buffers/host-layout` is also part of `buffers`. */
export const withParents = (suite: string): string[] =>
  suite.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));

const suitesOf = (all: readonly Case[]): string[] => distinctOf(all, (c) => withParents(c.suite));

const idsOf = (all: readonly Case[]): string[] => distinctOf(all, (c) => [familyOf(c), c.id]);

import { closest, didYouMean } from '../base/did-you-mean.ts';
import { type CheckContext, checkCase, checkInvalidCase } from './check-case.ts';
import type { CheckedCase } from './expand.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import { flattenSets, type Sets } from './matrix.ts';
import { formatPath, type SuiteProblem, show } from './problem.ts';
import {
  nestedSteps,
  type RawCase,
  type RawSets,
  type RawStep,
  type RawSuite,
  type RawTogether,
  VERBS,
  verbsOf,
} from './raw.ts';
import type { Requirements } from './requirements.ts';
import { checkSchema, validator } from './schema-check.ts';
import { checkTogether } from './together.ts';
import { checkRequiresVocabulary, type Vocabulary } from './vocabulary.ts';

export interface SuiteSource {
  file: string;
  /** Id that the file's place gives it; undefined accepts any. */
  id?: string;
  requirements: Requirements;
  sets: Sets;
  vocabulary: Vocabulary;
  casesOf?: CheckContext['casesOf'];
}

/**
 * Checks a whole suite.
 * @returns every problem, from top to bottom, and the cases without one; no suite if the document is none
 */
export function checkSuite(
  document: LocatedYaml,
  source: SuiteSource,
): { raw?: Pick<RawSuite, 'suite' | 'description' | 'defaults'>; cases: CheckedCase[]; problems: SuiteProblem[] } {
  // Schema messages about a document that YAML could only guess at would mislead.
  if (document.problems.some(({ kind }) => kind === 'syntax')) return { cases: [], problems: document.problems };
  const verbProblems = checkVerbs(document);
  const problems = [...document.problems, ...verbProblems, ...checkForm(document, verbProblems)];
  const raw = document.value as Partial<RawSuite> | null;
  if (typeof raw !== 'object' || raw === null || typeof raw.suite !== 'string')
    return { cases: [], problems: inOrder(problems) };
  const { suite, description = '', defaults, cases = [] } = raw;
  problems.push(...checkId(suite, document, source));
  const local = checkLocalSets(raw.sets, source.sets, document);
  problems.push(...local.problems);
  const context = { ...source, document, sets: local.sets };
  const defaultsValid = defaults === undefined || !problems.some(({ path }) => path.startsWith('defaults'));
  if (defaultsValid && defaults?.requires)
    problems.push(...checkRequiresVocabulary(defaults.requires, source.vocabulary, document, ['defaults', 'requires']));
  const verbless = new Set(verbProblems.map(({ path }) => path));
  const checked = defaultsValid
    ? checkCases({ suite, defaults }, cases, verbless, context)
    : { cases: [], problems: asList(cases).flatMap((one, i) => checkInvalidCase({}, one, ['cases', i], context)) };
  return {
    raw: { suite, description, ...(defaults ? { defaults } : {}) },
    cases: checked.cases,
    problems: inOrder([...problems, ...checked.problems]),
  };
}

/** What the schema says, but for steps whose verb is unknown: every other word about them would mislead. */
const checkForm = (document: LocatedYaml, verbProblems: readonly SuiteProblem[]): SuiteProblem[] =>
  checkSchema(validator('suite.schema.json'), document).filter(
    (problem) => !verbProblems.some(({ path }) => problem.path === path || problem.path.startsWith(`${path}.`)),
  );

function checkId(suite: string, document: LocatedYaml, { id }: SuiteSource): SuiteProblem[] {
  if (id === undefined || suite === id) return [];
  return [document.problem(['suite'], 'the id does not match the path of the file', { expected: id, got: suite })];
}

/** Checks each case, whatever is wrong with the others. */
function checkCases(
  suite: Pick<RawSuite, 'suite' | 'defaults'>,
  list: unknown,
  verbless: ReadonlySet<string>,
  context: CheckContext,
): { cases: CheckedCase[]; problems: SuiteProblem[] } {
  const { document } = context;
  const problems: SuiteProblem[] = [];
  const cases: CheckedCase[] = [];
  const lineOf = new Map<string, number>();
  const hasForm = validator('suite.schema.json', '/$defs/case');
  const isTogether = validator('suite.schema.json', '/$defs/togetherCase');
  for (const [i, entry] of asList(list).entries()) {
    const path = ['cases', i];
    const together = isTogether(entry);
    if (!(together || hasForm(entry)) || [...verbless].some((where) => where.startsWith(`${formatPath(path)}.`))) {
      problems.push(...checkInvalidCase(suite, entry, path, context));
      continue;
    }
    const raw = entry as RawCase;
    const first = lineOf.get(raw.id);
    if (first !== undefined) {
      const message = `case ${show(raw.id)} is already in line ${first}`;
      problems.push(document.problem([...path, 'id'], message, { help: 'ids are unique within a suite' }));
      continue;
    }
    lineOf.set(raw.id, document.at(path).line);
    const { problems: inCase, ...checked } = together
      ? checkTogether(entry as RawTogether, path, context)
      : { raw, path, ...checkCase(suite, raw, path, context) };
    if (inCase.length === 0) cases.push(checked);
    else problems.push(...inCase);
  }
  return { cases, problems };
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Problems from top to bottom. */
function inOrder(problems: readonly SuiteProblem[]): SuiteProblem[] {
  const line = (problem: SuiteProblem): number => problem.position?.line ?? 0;
  const column = (problem: SuiteProblem): number => problem.position?.column ?? 0;
  return problems.toSorted((a, b) => line(a) - line(b) || column(a) - column(b));
}

/** The shared sets with those of the file, which must have names of their own. */
function checkLocalSets(raw: unknown, shared: Sets, document: LocatedYaml): { sets: Sets; problems: SuiteProblem[] } {
  const problems: SuiteProblem[] = [];
  if (raw === undefined || !validator('suite.schema.json', '/$defs/sets')(raw)) return { sets: shared, problems };
  const local = flattenSets(raw as RawSets);
  for (const name of local.keys()) {
    if (!shared.has(name)) continue;
    const path = ['sets', ...name.split('.')];
    const more = { position: document.keyAt(path), help: 'choose another name' };
    problems.push(document.problem(path, `$${name} is already a shared set`, more));
  }
  return { sets: new Map([...shared, ...local]), problems };
}

/** Every step must have exactly one verb; checked here, because the schema can only report that no alternative matches. */
function checkVerbs(document: LocatedYaml): SuiteProblem[] {
  const problems: SuiteProblem[] = [];
  const cases = (document.value as { cases?: unknown } | null)?.cases;
  for (const [c, entry] of (Array.isArray(cases) ? cases : []).entries()) {
    const steps = (entry as { steps?: unknown } | null)?.steps;
    checkSteps(steps, ['cases', c, 'steps']);
  }
  return problems;

  function checkSteps(steps: unknown, at: DocumentPath): void {
    for (const [s, step] of (Array.isArray(steps) ? steps : []).entries()) {
      if (typeof step !== 'object' || step === null || Array.isArray(step)) continue;
      const path = [...at, s];
      const verbs = verbsOf(step);
      if (verbs.length === 1) {
        const nested = nestedSteps(step as RawStep);
        checkSteps(nested.steps, [...path, nested.key]);
        continue;
      }
      const keys = Object.keys(step);
      if (verbs.length > 1) {
        const more = { position: document.keyAt([...path, verbs[1]!]), help: 'begin every step with "- "' };
        problems.push(document.problem(path, `${verbs.length} verbs in one step: ${verbs.join(', ')}`, more));
        continue;
      }
      const expected = `one of ${VERBS.join(', ')}`;
      const key = keys.find((name) => closest(name, VERBS) !== undefined) ?? keys[0];
      if (key === undefined) problems.push(document.problem(path, 'a step without a verb', { expected }));
      else {
        const more = { position: document.keyAt([...path, key]), expected, help: didYouMean(key, VERBS) };
        problems.push(document.problem(path, `unknown verb ${show(key)}`, more));
      }
    }
  }
}

import { didYouMean } from '../base/did-you-mean.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import { type Combination, combinations, type Sets } from './matrix.ts';
import { NameTypes } from './name-types.ts';
import {
  caseId,
  looksLikeReference,
  MAX_ID_LENGTH,
  namedParams,
  type Params,
  referenceName,
  substitute,
  visitStrings,
} from './parameters.ts';
import { formatProblem, type SuiteProblem, show } from './problem.ts';
import { coveredIds, DATA_KINDS, nestedSteps, type RawCase, type RawStep, type RawSuite, verbsOf } from './raw.ts';
import { checkReferences } from './references.ts';
import type { Requirements } from './requirements.ts';
import { checkSchema, validator } from './schema-check.ts';
import type { Case, Predicate } from './types.ts';
import { checkValues } from './values.ts';
import { checkDemandsVocabulary, checkRequiresVocabulary, checkStepVocabulary, type Vocabulary } from './vocabulary.ts';

/** What cases are checked against, besides the schema. */
export interface CheckContext {
  document: LocatedYaml;
  sets: Sets;
  requirements: Requirements;
  vocabulary: Vocabulary;
  /** The cases of a suite, also of one that is not being read; undefined if there is none. */
  casesOf?(suite: string): readonly Case[] | undefined;
}

/** Checks of a case that the schema rejects, so that one mistake does not hide another. */
export function checkInvalidCase(
  suite: Pick<RawSuite, 'defaults'>,
  raw: unknown,
  path: DocumentPath,
  context: CheckContext,
): SuiteProblem[] {
  if (typeof raw !== 'object' || raw === null) return [];
  const { covers, steps, matrix, client } = raw as Partial<RawCase>;
  const { document, requirements, sets } = context;
  const ids = Array.isArray(covers) ? covers.filter((id) => typeof id === 'string') : [];
  const problems = checkCovers(ids, requirements, document, path);
  if (matrix !== undefined && !validator('suite.schema.json', '/$defs/case/properties/matrix')(matrix)) return problems;
  if (matrix !== undefined)
    problems.push(
      ...combinations({ ...(raw as RawCase), covers: [], exclude: undefined }, sets, document, path).problems,
    );
  if (!Array.isArray(steps) || !steps.every((step) => typeof step === 'object' && step !== null)) return problems;
  const bound = (['none', 'own'] as const).find((kind) => kind === (client ?? suite.defaults?.client)) ?? 'shared';
  return [...problems, ...checkReferences({ ...(raw as RawCase), steps }, bound, document, path)];
}

/** Checks an entry under `cases` that the schema accepts, in every combination of its parameters. */
export function checkCase(
  suite: Pick<RawSuite, 'suite' | 'defaults'>,
  raw: RawCase,
  path: DocumentPath,
  context: CheckContext,
): { combinations: readonly Combination[]; problems: SuiteProblem[] } {
  const { document, sets, requirements } = context;
  const client = raw.client ?? suite.defaults?.client ?? 'shared';
  const matrix = combinations(raw, sets, document, path);
  const problems = [
    ...checkCovers(coveredIds(raw.covers), requirements, document, path),
    ...matrix.problems,
    ...checkReferences(raw, client, document, path),
  ];
  // What is wrong with names would be found again in every combination.
  if (problems.length === 0)
    problems.push(...matrix.combinations.flatMap(({ params }) => checkCombination(suite, raw, params, path, context)));
  return { combinations: matrix.combinations, problems: distinct(problems) };
}

function checkCombination(
  suite: Pick<RawSuite, 'suite'>,
  raw: RawCase,
  params: Params,
  path: DocumentPath,
  context: CheckContext,
): SuiteProblem[] {
  const { document, vocabulary } = context;
  const requires = substitute(raw.requires ?? {}, params);
  const inRequires = [...path, 'requires'];
  const covers = coveredIds(raw.covers);
  const names = new NameTypes(substitute(raw.steps, params), vocabulary);
  return [
    ...checkLength(caseId(suite.suite, raw.id, namedParams(raw, params)), document, path),
    ...checkRequiresVocabulary(requires, vocabulary, document, inRequires),
    ...checkSchema(validator('suite.schema.json', '/$defs/requires', true), document, inRequires, requires),
    ...raw.steps.flatMap((step, i) => checkStep(step, covers, params, names, [...path, 'steps', i], context)),
    ...checkDemandsVocabulary(substitute(raw.demands ?? [], params), vocabulary, document, [...path, 'demands']),
  ];
}

function checkLength(id: string, document: LocatedYaml, path: DocumentPath): SuiteProblem[] {
  if (id.length <= MAX_ID_LENGTH) return [];
  const said = { expected: `at most ${MAX_ID_LENGTH} characters`, got: `${id.length}: ${id}` };
  return [document.problem([...path, 'id'], 'id too long', said)];
}

/** A step with the values of the parameters put in, and the steps inside it. */
function checkStep(
  written: RawStep,
  covers: readonly string[],
  params: Params,
  names: NameTypes,
  at: DocumentPath,
  { document, vocabulary }: CheckContext,
): SuiteProblem[] {
  const step = substitute(written, params);
  const wrong = checkSchema(validator('suite.schema.json', '/$defs/step', true), document, at, step);
  return [
    ...checkElements(written, params, document, at),
    ...(wrong.length > 0 ? [] : checkValues(step, names, vocabulary, document, at)),
    ...wrong,
    // Names cannot be found in a step of the wrong form.
    ...(wrong.length > 0 ? [] : checkNames(step, at)),
  ];

  function checkNames(one: RawStep, path: DocumentPath): SuiteProblem[] {
    const nested = nestedSteps(one);
    return [
      ...checkStepVocabulary(one, vocabulary, document, path),
      ...checkPatterns(one, document, path),
      ...checkInlineData(one, document, path),
      ...checkBreaks(one, covers, document, path),
      ...nested.steps.flatMap((inner, i) => checkNames(inner, [...path, nested.key, i])),
    ];
  }
}

function checkCovers(
  covers: readonly string[],
  requirements: Requirements,
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const expected = 'an id of requirements.yaml';
  return unknownIds(covers, requirements, document, [...path, 'covers'], 'unknown requirement', expected);
}

/** A step can only violate requirements that its case covers. */
function checkBreaks(
  { breaks = [] }: { breaks?: string[] },
  covers: readonly string[],
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  const expected = `one of ${covers.join(', ')}`;
  return unknownIds(breaks, new Set(covers), document, [...path, 'breaks'], 'the case does not cover', expected);
}

function unknownIds(
  ids: readonly string[],
  known: { has(id: string): boolean; keys(): Iterable<string> },
  document: LocatedYaml,
  path: DocumentPath,
  message: string,
  expected: string,
): SuiteProblem[] {
  return ids.flatMap((id, i) =>
    known.has(id)
      ? []
      : document.problem([...path, i], `${message} ${show(id)}`, { expected, help: didYouMean(id, known.keys()) }),
  );
}

/** `$name[0]` is an element of a parameter that is a list, and has so many. */
function checkElements(step: RawStep, params: Params, document: LocatedYaml, path: DocumentPath): SuiteProblem[] {
  const problems: SuiteProblem[] = [];
  visitStrings(step, path, (text, at) => {
    const reference = looksLikeReference(text) ? referenceName(text) : undefined;
    const value = reference?.rest ? params[reference.name] : undefined;
    if (!reference || value === undefined) return;
    if (Array.isArray(value) && Number(reference.rest.slice(1, -1)) < value.length) return;
    const what = Array.isArray(value) ? `element ${reference.rest}` : 'elements';
    problems.push(document.problem(at, `parameter $${reference.name} has no ${what}`, { got: text }));
  });
  return problems;
}

/** The regular expressions of a predicate and of those inside it. */
function patternsIn(predicate: unknown, path: DocumentPath): [string, DocumentPath][] {
  const { matches, each, names, types } = predicate as Predicate;
  const own: [string, DocumentPath][] = typeof matches === 'string' ? [[matches, [...path, 'matches']]] : [];
  const inner = Object.entries({ each, names, types }).filter(([, value]) => value !== undefined);
  return [...own, ...inner.flatMap(([key, value]) => patternsIn(value, [...path, key]))];
}

/** Regular expressions must compile here, not in the worker. */
function checkPatterns(step: RawStep, document: LocatedYaml, path: DocumentPath): SuiteProblem[] {
  const verb = verbsOf(step)[0];
  const expected = [...path, 'expect'];
  const found =
    verb === 'expect'
      ? patternsIn(step.expect, expected)
      : verb === 'call'
        ? Object.entries((step.expect ?? {}) as object).flatMap(([field, own]) => patternsIn(own, [...expected, field]))
        : [];
  return found.flatMap(([pattern, at]) => {
    try {
      new RegExp(pattern, 'u');
      return [];
    } catch (error) {
      return document.problem(at, `not a regular expression: ${(error as Error).message}`);
    }
  });
}

/** Data in place of a reference: `equals: {fill: …}`. */
function checkInlineData(step: RawStep, document: LocatedYaml, path: DocumentPath): SuiteProblem[] {
  if (verbsOf(step)[0] !== 'expect') return [];
  const { equals } = step.expect as { equals?: unknown };
  const keys = typeof equals === 'object' && equals !== null && !Array.isArray(equals) ? Object.keys(equals) : [];
  if (!keys.some((key) => DATA_KINDS.includes(key))) return [];
  return checkSchema(
    validator('suite.schema.json', '/$defs/data', true),
    document,
    [...path, 'expect', 'equals'],
    equals,
  );
}

/** A mistake in a step is in every combination of the matrix; it is reported once. */
function distinct(problems: readonly SuiteProblem[]): SuiteProblem[] {
  const keyOf = ({ got, ...rest }: SuiteProblem): string => formatProblem(rest);
  return [...new Map(problems.toReversed().map((problem) => [keyOf(problem), problem])).values()].toReversed();
}

import { didYouMean } from '../base/did-you-mean.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import { combinations, type Sets } from './matrix.ts';
import {
  caseId,
  looksLikeReference,
  MAX_ID_LENGTH,
  type Params,
  referenceName,
  substitute,
  visitStrings,
} from './parameters.ts';
import { formatPath, formatProblem, type SuiteProblem, show } from './problem.ts';
import type { RawCase, RawDefaults, RawStep, RawSuite } from './raw.ts';
import { DATA_KINDS, nestedSteps, verbsOf } from './raw.ts';
import { checkReferences } from './references.ts';
import { heaviest, levelOf, type Requirements } from './requirements.ts';
import { checkSchema, validator } from './schema-check.ts';
import type { Case, Level, Predicate, Requires, Step, StepBody } from './types.ts';
import {
  checkDemandsVocabulary,
  checkRequiresVocabulary,
  checkStepVocabulary,
  checkWords,
  type Vocabulary,
} from './vocabulary.ts';

/** Context of an expansion besides the file. */
interface ExpandContext {
  document: LocatedYaml;
  sets: Sets;
  requirements: Requirements;
  vocabulary: Vocabulary;
}

/** Checks of a case that the schema rejects, so that one mistake does not hide another. */
export function checkInvalidCase(
  suite: Pick<RawSuite, 'defaults'>,
  raw: unknown,
  path: DocumentPath,
  context: ExpandContext,
): SuiteProblem[] {
  if (typeof raw !== 'object' || raw === null) return [];
  const { covers, steps, matrix, client } = raw as Partial<RawCase>;
  const { document, requirements, sets } = context;
  const ids = Array.isArray(covers) ? covers.filter((id) => typeof id === 'string') : [];
  const problems = checkCovers(ids, requirements, document, path);
  if (matrix !== undefined && !validator('suite.schema.json', '/$defs/case/properties/matrix')(matrix)) return problems;
  if (matrix !== undefined)
    problems.push(...combinations({ ...(raw as RawCase), exclude: undefined }, sets, document, path).problems);
  if (!Array.isArray(steps) || !steps.every((step) => typeof step === 'object' && step !== null)) return problems;
  const bound = (['none', 'own'] as const).find((kind) => kind === (client ?? suite.defaults?.client)) ?? 'shared';
  return [...problems, ...checkReferences({ ...(raw as RawCase), steps }, bound, document, path)];
}

/** All cases of an entry under `cases`, in the order of its matrix; or problems instead of cases. */
export function expandCase(
  suite: Pick<RawSuite, 'suite' | 'defaults'>,
  raw: RawCase,
  path: DocumentPath,
  context: ExpandContext,
): { cases: Case[]; problems: SuiteProblem[] } {
  const { document, sets, requirements } = context;
  const client = raw.client ?? suite.defaults?.client ?? 'shared';
  const matrix = combinations(raw, sets, document, path);
  const problems = [
    ...checkCovers(raw.covers, requirements, document, path),
    ...matrix.problems,
    ...checkReferences(raw, client, document, path),
  ];
  if (problems.length > 0) return { cases: [], problems };
  const cases = matrix.combinations.map((params) => {
    const expanded = expandOne(suite, raw, params, path, context);
    problems.push(...expanded.problems);
    return expanded.case;
  });
  return problems.length > 0 ? { cases: [], problems: distinct(problems) } : { cases, problems: [] };
}

function expandOne(
  suite: Pick<RawSuite, 'suite' | 'defaults'>,
  raw: RawCase,
  params: Params,
  path: DocumentPath,
  context: ExpandContext,
): { case: Case; problems: SuiteProblem[] } {
  const { document, vocabulary, requirements } = context;
  const defaults: RawDefaults = suite.defaults ?? {};
  const named = Object.fromEntries(Object.entries(params).filter(([name]) => !raw.unnamed?.includes(name)));
  const id = caseId(suite.suite, raw.id, named);
  const problems: SuiteProblem[] = [];
  if (id.length > MAX_ID_LENGTH) {
    const position = document.at([...path, 'id']);
    problems.push({
      file: document.file,
      position,
      path: formatPath([...path, 'id']),
      message: 'id too long',
      expected: `at most ${MAX_ID_LENGTH} characters`,
      got: `${id.length}: ${id}`,
    });
  }
  const own = substitute(raw.requires ?? {}, params);
  problems.push(...checkRequiresVocabulary(own, vocabulary, document, [...path, 'requires']));
  problems.push(
    ...checkSchema(validator('suite.schema.json', '/$defs/requires', true), document, [...path, 'requires'], own),
  );
  const { steps, problems: inSteps } = expandSteps(raw, params, [...path, 'steps'], context);
  problems.push(...inSteps);
  // Of a case with a level of its own, everything weighs as much.
  const levels = Object.fromEntries(
    raw.covers.map((id): [string, Level] => [id, raw.level ?? levelOf(id, requirements)]),
  );
  const demands = raw.demands && substitute(raw.demands, params);
  problems.push(...checkDemandsVocabulary(demands ?? [], vocabulary, document, [...path, 'demands']));
  return {
    case: {
      id,
      suite: suite.suite,
      name: raw.id,
      params: named,
      file: document.file,
      line: document.at(path).line,
      title: String(substitute(raw.title ?? raw.description, params)),
      covers: [...raw.covers],
      level: heaviest(Object.values(levels)),
      levels,
      ...(demands ? { demands } : {}),
      tags: [...new Set([...(defaults.tags ?? []), ...(raw.tags ?? [])])],
      requires: mergeRequires(defaults.requires ?? {}, own),
      isolation: raw.isolation ?? defaults.isolation ?? 'worker',
      client: raw.client ?? defaults.client ?? 'shared',
      ...((raw.programs ?? defaults.programs) === 'shared' ? { programs: 'shared' as const } : {}),
      deadline: { ...defaults.deadline, ...raw.deadline },
      steps,
    },
    problems,
  };
}

/** The steps of a case with these parameters, and what is wrong with them. */
function expandSteps(
  { steps, covers }: RawCase,
  params: Params,
  path: DocumentPath,
  { document, vocabulary }: ExpandContext,
): { steps: Step[]; problems: SuiteProblem[] } {
  const problems: SuiteProblem[] = [];
  /** The step of types.ts, with the steps inside it; what is wrong with their names goes into `problems`. */
  function toStep(step: RawStep, at: DocumentPath, check: boolean): Step {
    if (check) {
      problems.push(
        ...checkStepVocabulary(step, vocabulary, document, at),
        ...checkPatterns(step, document, at),
        ...checkInlineData(step, document, at),
        ...checkBreaks(step, covers, document, at),
      );
    }
    const nested = nestedSteps(step);
    const inner = nested.steps.map((one, i) => toStep(one, [...at, nested.key, i], check));
    const { breaks, precondition, refusable } = step;
    return {
      ...toStepBody(step),
      ...(inner.length > 0 ? { steps: inner } : {}),
      line: document.at(at).line,
      ...(breaks ? { breaks } : {}),
      ...(precondition === undefined ? {} : { precondition }),
      ...(refusable === undefined ? {} : { refusable }),
    } as Step;
  }
  const expanded = steps.map((written, i) => {
    const at = [...path, i];
    problems.push(...checkElements(written, params, document, at));
    const step = substitute(written, params);
    problems.push(...checkWords(step, vocabulary, document, at));
    const wrong = checkSchema(validator('suite.schema.json', '/$defs/step', true), document, at, step);
    problems.push(...wrong);
    return toStep(step, at, wrong.length === 0);
  });
  return { steps: expanded, problems };
}

/** Converts a step as written to the step of types.ts. */
function toStepBody(step: RawStep): StepBody {
  const verb = verbsOf(step)[0]!;
  const { [verb]: body, breaks: _, precondition: __, refusable: ___, ...siblings } = step;
  if (verb === 'call') return { verb, function: body, ...siblings } as StepBody;
  if (verb === 'for-each') {
    const [name, list] = Object.entries(body as object)[0]!;
    return { verb, name, list, ...siblings } as StepBody;
  }
  if (verb === 'on-threads') return { verb, lanes: body, ...siblings } as StepBody;
  if (verb === 'soak') return { verb, rounds: body, ...siblings } as StepBody;
  if (verb === 'program') return { verb, name: body, ...siblings } as StepBody;
  if (verb === 'recorded') return { verb, path: body, ...siblings } as StepBody;
  if (verb === 'repeat') return { verb, times: body, ...siblings } as StepBody;
  if (verb === 'probe') return { verb, name: body, ...siblings } as StepBody;
  if (verb === 'if-offered') return { verb } as StepBody;
  if (verb === 'pending') return { verb, via: body, ...siblings } as StepBody;
  if (verb === 'complete' || verb === 'decode' || verb === 'destroy')
    return { verb, of: body, ...siblings } as StepBody;
  if (verb === 'read') return { verb, address: body, ...siblings } as StepBody;
  if (verb === 'layout') return { verb, buffer: body, ...siblings } as StepBody;
  return { verb, ...(body as object) } as StepBody;
}

/** Lists are concatenated; a number of the case replaces that of the file. */
function mergeRequires(defaults: Requires, own: Requires): Requires {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [key, value] of Object.entries(own)) {
    const before = merged[key];
    merged[key] = Array.isArray(value) && Array.isArray(before) ? [...new Set([...before, ...value])] : value;
  }
  return merged as Requires;
}

function checkCovers(
  covers: readonly string[],
  requirements: Requirements,
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  return unknownIds(covers, requirements, document, [...path, 'covers'], (id) => ({
    message: `unknown requirement ${show(id)}`,
    expected: 'an id of requirements.yaml',
  }));
}

/** A step can only violate requirements that its case covers. */
function checkBreaks(
  { breaks = [] }: { breaks?: string[] },
  covers: readonly string[],
  document: LocatedYaml,
  path: DocumentPath,
): SuiteProblem[] {
  return unknownIds(breaks, new Set(covers), document, [...path, 'breaks'], (id) => ({
    message: `the case does not cover ${show(id)}`,
    expected: `one of ${covers.join(', ')}`,
  }));
}

function unknownIds(
  ids: readonly string[],
  known: { has(id: string): boolean; keys(): Iterable<string> },
  document: LocatedYaml,
  path: DocumentPath,
  problem: (id: string) => Pick<SuiteProblem, 'message' | 'expected'>,
): SuiteProblem[] {
  return ids.flatMap((id, i) => {
    if (known.has(id)) return [];
    const at = [...path, i];
    const place = { file: document.file, position: document.at(at), path: formatPath(at) };
    return [{ ...place, ...problem(id), help: didYouMean(id, known.keys()) }];
  });
}

/** `$name[0]` is an element of a parameter that is a list, and has so many. */
function checkElements(step: RawStep, params: Params, document: LocatedYaml, path: DocumentPath): SuiteProblem[] {
  const problems: SuiteProblem[] = [];
  visitStrings(step, path, (text, at) => {
    const reference = looksLikeReference(text) ? referenceName(text) : undefined;
    const value = reference?.rest ? params[reference.name] : undefined;
    if (!reference || value === undefined) return;
    if (Array.isArray(value) && Number(reference.rest.slice(1, -1)) < value.length) return;
    problems.push({
      file: document.file,
      position: document.at(at),
      path: formatPath(at),
      message: `parameter $${reference.name} has no ${Array.isArray(value) ? `element ${reference.rest}` : 'elements'}`,
      got: text,
    });
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
      return [
        {
          file: document.file,
          position: document.at(at),
          path: formatPath(at),
          message: `not a regular expression: ${(error as Error).message}`,
        },
      ];
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

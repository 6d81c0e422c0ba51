import { inOneStep } from './in-one-step.ts';
import type { DocumentPath, LocatedYaml } from './located-yaml.ts';
import type { Combination } from './matrix.ts';
import { caseId, namedParams, referenceName, substitute, visitStrings } from './parameters.ts';
import { coveredIds, nestedSteps, type RawCase, type RawStep, type RawSuite, verbsOf } from './raw.ts';
import { heaviest, levelOf, type Requirements } from './requirements.ts';
import { type RunStep, stepsOfRun } from './run-step.ts';
import type { Case, Level, Requires, Step, StepBody } from './types.ts';

/** An entry under `cases` that has been checked, and where it stands. */
export interface CheckedCase {
  raw: RawCase;
  path: DocumentPath;
  combinations: readonly Combination[];
  /** What takes the place of the steps of a case that runs others together. */
  merged?: Pick<Case, 'members' | 'steps'>;
}

/** Where the steps of a case stand. */
export type Places = Pick<LocatedYaml, 'file' | 'at'>;

/** All cases of an entry, in the order of its matrix. It has been checked, so nothing can be wrong. */
export function expandCase(
  suite: Pick<RawSuite, 'suite' | 'defaults'>,
  { raw, path, combinations, merged }: CheckedCase,
  document: Places,
  requirements: Requirements,
): Case[] {
  const defaults = suite.defaults ?? {};
  const { line } = document.at(path);
  // Of a case with a level of its own, everything weighs as much.
  const levelById = new Map(
    coveredIds(raw.covers).map((id): [string, Level] => [id, raw.level ?? levelOf(id, requirements)]),
  );
  return combinations.map(({ params, covers }) => {
    const levels = Object.fromEntries(covers.map((id) => [id, levelById.get(id)!]));
    const named = namedParams(raw, params);
    return {
      id: caseId(suite.suite, raw.id, named),
      suite: suite.suite,
      name: raw.id,
      params: named,
      file: document.file,
      line,
      title: String(substitute(raw.title ?? raw.description, params)),
      covers: [...covers],
      level: heaviest(Object.values(levels)),
      levels,
      ...(raw.demands ? { demands: substitute(raw.demands, params) } : {}),
      tags: [...new Set([...(defaults.tags ?? []), ...(raw.tags ?? [])])],
      requires: mergeRequires(defaults.requires ?? {}, substitute(raw.requires ?? {}, params)),
      isolation: raw.isolation ?? defaults.isolation ?? 'worker',
      client: raw.client ?? defaults.client ?? 'shared',
      ...((raw.programs ?? defaults.programs) === 'shared' ? { programs: 'shared' as const } : {}),
      deadline: { ...defaults.deadline, ...raw.deadline },
      ...(merged ?? { steps: expandSteps(substitute(raw.steps, params), covers, [...path, 'steps'], document) }),
    };
  });
}

function expandSteps(
  steps: readonly RawStep[],
  covers: readonly string[],
  path: DocumentPath,
  document: Places,
): Step[] {
  const used = new Set<string>();
  visitStrings(steps, path, (text) => used.add(referenceName(text)?.name ?? ''));
  return steps.flatMap((step, i) => expand(step, [...path, i]));

  /** The steps of types.ts that a step stands for, with those inside it. */
  function expand(step: RawStep, at: DocumentPath): Step[] {
    if (step.run !== undefined) {
      const parts = stepsOfRun(step as unknown as RunStep, (name) => used.has(name));
      return parts.flatMap((part) => expand(part.step, [...at, ...part.path]));
    }
    const meant = inOneStep(step);
    if (meant) return meant.flatMap((one) => expand(one, at));
    const nested = nestedSteps(step);
    const inner = nested.steps.flatMap((one, i) => expand(one, [...at, nested.key, i]));
    const { precondition, refusable } = step;
    // Another row may cover the others.
    const breaks = (step.breaks as string[] | undefined)?.filter((id) => covers.includes(id)) ?? [];
    const body = {
      ...toStepBody(step),
      ...(inner.length > 0 ? { steps: inner } : {}),
      line: document.at(at).line,
      ...(breaks.length > 0 ? { breaks } : {}),
      ...(precondition === undefined ? {} : { precondition }),
      ...(refusable === undefined ? {} : { refusable }),
    };
    return [body as Step];
  }
}

/** What stands beside a verb, where that is not a mapping: its name in types.ts. */
const NAME_OF_VALUE: Readonly<Record<string, string>> = {
  call: 'function',
  complete: 'of',
  decode: 'of',
  destroy: 'of',
  heard: 'by',
  layout: 'buffer',
  listen: 'to',
  'on-threads': 'lanes',
  pending: 'via',
  probe: 'name',
  program: 'name',
  read: 'address',
  recorded: 'path',
  repeat: 'times',
  soak: 'rounds',
  'valid-call': 'function',
};

/** Converts a step as written to the step of types.ts. */
function toStepBody(step: RawStep): StepBody {
  const verb = verbsOf(step)[0]!;
  const { [verb]: value, breaks: _, precondition: __, refusable: ___, ...siblings } = step;
  const name = NAME_OF_VALUE[verb];
  if (name !== undefined) return { verb, [name]: value, ...siblings } as StepBody;
  if (verb === 'if-offered') return { verb } as StepBody;
  if (verb !== 'for-each') return { verb, ...(value as object) } as StepBody;
  const [element, list] = Object.entries(value as object)[0]!;
  return { verb, name: element, list, ...siblings } as StepBody;
}

/** Lists are concatenated; a number of the case replaces that of the file. */
export function mergeRequires(defaults: Requires, own: Requires): Requires {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [key, value] of Object.entries(own)) {
    const before = merged[key];
    const all = Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : undefined;
    // Shapes are lists themselves.
    merged[key] = all ? [...new Map(all.map((one) => [JSON.stringify(one), one])).values()] : value;
  }
  return merged as Requires;
}

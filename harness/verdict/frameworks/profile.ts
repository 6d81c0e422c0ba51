import { counted } from '../../base/counted.ts';
import { groupedBy, tallied } from '../../base/grouping.ts';
import type { Case } from '../../suite/types.ts';
import { useOf } from './load.ts';
import { momentOf } from './predict/calls.ts';
import { isOfRelease, isRecorded } from './recorded-sessions.ts';
import { isReliedOn } from './relies.ts';
import type { Chosen } from './types.ts';

/** The suite that does what every framework does, a stage a case. */
const SESSION = 'framework/session';

/** Tag of cases that compute what the first programs of users do: random numbers, large integers, lookups. */
const FIRST_PROGRAMS = 'first-programs';

/**
 * What a case is to a release. gate: the release does the same in everyday use, so a failure counts · `informative`: it is about
 * functions that the release calls, but goes further than everyday use does; its result is reported and does not count.
 * Undefined: it is about something else.
 */
type Part = 'gate' | 'informative' | undefined;

/**
 * The rule, in this order:
 * 1. Cases of framework/session are in the gate, and what this very release was recorded doing.
 * 2. A case that names a function which the release never calls is left out.
 * 3. A smoke case, one of what users' first programs compute, or one that covers a requirement on which the release relies
 *    for right data, is in the gate when it provokes no error and all functions that it names are in everyday use.
 * 4. Any other such case, and any case that names functions, is `informative`.
 */
export function partOf(chosen: Chosen, testCase: Case): Part {
  if (testCase.suite === SESSION || isOfRelease(chosen, testCase)) return 'gate';
  if (isRecorded(testCase)) return undefined;
  const named = functionsNamed(testCase).map((name) => name.slice('PJRT_'.length));
  if (named.some((name) => !useOf(chosen, name))) return undefined;
  const { tags } = testCase;
  const basic = tags.includes('smoke') || tags.includes(FIRST_PROGRAMS) || isReliedOn(chosen, testCase);
  const everyday = named.every((name) => momentOf(chosen, name) !== 'when used');
  if (basic && everyday && !testCase.steps.some(provokesError)) return 'gate';
  return basic || named.length > 0 ? 'informative' : undefined;
}

/** How many cases are in the gate of a release, and how many are not, by what keeps them out. */
export function gateFact(chosen: Chosen, cases: readonly Case[]): string {
  const parts = groupedBy(cases, (one) => partOf(chosen, one));
  const { title } = chosen.framework;
  const count = (part: Part): number => parts.get(part)?.length ?? 0;
  const areas = tallied((parts.get(undefined) ?? []).map(({ suite }) => suite.replace(/\/.*/s, '')));
  const named = [...areas].sort(([, m], [, n]) => n - m).map(([area, n]) => `${area} ${n}`);
  return [
    `of ${counted(cases.length, 'case')} ${count('gate')} are in the gate`,
    `${count('informative')} go further than everyday use`,
    `${count(undefined)} are about what ${title} neither calls nor relies on (${named.join(', ')})`,
  ].join(', ');
}

/** Functions that a case calls by name, is a parameter over, or cannot do without. */
function functionsNamed({ steps, params, requires }: Case): string[] {
  const called = steps.flatMap((step) => (step.verb === 'call' ? [step.function] : []));
  const parameter = typeof params.function === 'string' && params.function.startsWith('PJRT_') ? [params.function] : [];
  return [...new Set([...called, ...parameter, ...(requires.functions ?? [])])];
}

const provokesError = (step: Case['steps'][number]): boolean => 'error' in step && step.error !== undefined;

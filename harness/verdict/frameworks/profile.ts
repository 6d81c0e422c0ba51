import type { Case } from '../../suite/types.ts';
import { useOf } from './load.ts';
import { momentOf } from './predict/calls.ts';
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
 * 1. Cases of framework/session are in the gate.
 * 2. A case that names a function which the release never calls is left out.
 * 3. A smoke case, or one of what users' first programs compute, is in the gate when it provokes no error and all
 *    functions that it names are in everyday use.
 * 4. Any other such case, and any case that names functions, is `informative`.
 */
export function partOf(chosen: Chosen, testCase: Case): Part {
  if (testCase.suite === SESSION) return 'gate';
  const named = functionsNamed(testCase).map((name) => name.slice('PJRT_'.length));
  if (named.some((name) => !useOf(chosen, name))) return undefined;
  const basic = testCase.tags.includes('smoke') || testCase.tags.includes(FIRST_PROGRAMS);
  const everyday = named.every((name) => momentOf(chosen, name) !== 'when used');
  if (basic && everyday && !testCase.steps.some(provokesError)) return 'gate';
  return basic || named.length > 0 ? 'informative' : undefined;
}

/** Functions that a case calls by name, is a parameter over, or cannot do without. */
function functionsNamed({ steps, params, requires }: Case): string[] {
  const called = steps.flatMap((step) => (step.verb === 'call' ? [step.function] : []));
  const parameter = typeof params.function === 'string' && params.function.startsWith('PJRT_') ? [params.function] : [];
  return [...new Set([...called, ...parameter, ...(requires.functions ?? [])])];
}

const provokesError = (step: Case['steps'][number]): boolean => 'error' in step && step.error !== undefined;

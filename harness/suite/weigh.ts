import type { Case } from './types.ts';

type Weighed = Pick<Case, 'level' | 'levels'>;

/**
 * Severity of a violation of several requirements in a case: the highest level of those that the case covers. An optional
 * part that is offered must work. For requirements beyond those, the level of the case.
 */
export function weigh(testCase: Weighed, requirements: readonly string[]): 'must' | 'should' {
  const levels = requirements.flatMap((id) => testCase.levels[id] ?? []);
  if (levels.length === 0) levels.push(testCase.level);
  return levels.some((level) => level === 'must' || level === 'opt') ? 'must' : 'should';
}

/** Severity of the death of the process in a case: the highest level of what it covers. */
export const weighDeath = ({ level }: Pick<Weighed, 'level'>): 'must' | 'should' =>
  level === 'must' || level === 'opt' ? 'must' : 'should';

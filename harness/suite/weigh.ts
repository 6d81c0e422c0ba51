import type { Case } from './types.ts';

type Weighed = Pick<Case, 'level' | 'levels'>;

/**
 * What it weighs to break some requirements in a case: as much as the heaviest of those that the case covers. An optional
 * part that is offered must work. Requirements beyond those weigh as much as the case.
 */
export function weigh(testCase: Weighed, requirements: readonly string[]): 'must' | 'should' {
  const levels = requirements.flatMap((id) => testCase.levels[id] ?? []);
  if (levels.length === 0) levels.push(testCase.level);
  return levels.some((level) => level === 'must' || level === 'opt') ? 'must' : 'should';
}

/** What the death of the process weighs in a case: as much as the heaviest of what it covers. */
export const weighDeath = ({ level }: Weighed): 'must' | 'should' =>
  level === 'must' || level === 'opt' ? 'must' : 'should';

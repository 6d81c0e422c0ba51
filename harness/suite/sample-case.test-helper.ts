import type { Case, Step, StepBody } from './types.ts';

/** An empty case, with the fields that a test needs. */
export function sampleCase(id: string, more: Partial<Omit<Case, 'steps'>> = {}, steps: readonly StepBody[] = []): Case {
  const [suite, name] = id.split(':') as [string, string];
  return {
    id,
    suite,
    name: name.split('[')[0]!,
    params: {},
    file: '',
    line: 1,
    title: '',
    covers: [],
    level: 'must',
    levels: {},
    tags: [],
    requires: {},
    isolation: 'worker',
    client: 'shared',
    deadline: {},
    ...more,
    steps: steps.map((step) => ({ ...step, line: 1 })),
  };
}

/** All steps of a case in the order in which they are written, those inside loops too. */
export const stepsOf = ({ steps }: Pick<Case, 'steps'>): Step[] =>
  steps.flatMap((step) => [step, ...('steps' in step ? stepsOf({ steps: step.steps ?? [] }) : [])]);

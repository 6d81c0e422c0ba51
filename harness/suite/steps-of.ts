import type { Case, Step } from './types.ts';

/** All steps of a case in the order in which they are written, those inside loops too. */
export const stepsOf = ({ steps }: Pick<Case, 'steps'>): Step[] =>
  steps.flatMap((step) => ('steps' in step ? [step, ...stepsOf(step)] : [step]));

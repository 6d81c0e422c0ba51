import { expect, test } from 'vitest';
import { Budget } from './budget.ts';

test('a budget is spent when its time is over, which a resumed run does not get twice', () => {
  let now = 99;
  const budget = new Budget(100, () => now);
  expect(budget.spent).toBe(false);
  now = 100;
  expect([budget.spent, budget.over.aborted]).toEqual([true, false]);
});

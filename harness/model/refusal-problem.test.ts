import { expect, test } from 'vitest';
import { refusalProblem } from './refusal-problem.ts';

test('what a plugin says of a device in use', () => {
  expect(refusalProblem('the device is already in use')).toEqual({ problem: 'in-use' });
  expect(refusalProblem('cannot open /tmp/foo_lockfile')).toEqual({ problem: 'in-use' });
  expect(refusalProblem('no device')).toEqual({});
});

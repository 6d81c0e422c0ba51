import { expect, test } from 'vitest';
import { refusalProblem } from './plugin-facts.ts';

test('what a plugin says of a device in use', () => {
  expect(refusalProblem('the device is already in use')).toEqual({ problem: 'in-use' });
  expect(refusalProblem('cannot open /tmp/foo_lockfile')).toEqual({ problem: 'in-use' });
  expect(refusalProblem('the device is locked by process 12')).toEqual({ problem: 'in-use' });
});

test.each(['no device', 'failed to allocate block', 'Deadlock avoided', 'clock skew', 'an error in user code'])(
  'what is no word of a device in use: %s',
  (said) => {
    expect(refusalProblem(said)).toEqual({});
  },
);

import { describe, expect, test } from 'vitest';
import { sampleCase } from '../../suite/sample-case.test-helper.ts';
import type { Case } from '../../suite/types.ts';
import { partOf } from './profile.ts';
import { parseRelease } from './spec.ts';

const jax = parseRelease('jax@0.10.2');

const testCase = ({ steps, ...more }: Partial<Case>): Case => sampleCase('a/b:c', more, steps);
const smoke = ['smoke'];
const call = (name: string, error?: string): Case['steps'] => [
  { verb: 'call', function: name, line: 2, ...(error === undefined ? {} : { error }) },
];

test('the session of a framework is in the gate', () => {
  expect(partOf(jax, testCase({ suite: 'framework/session' }))).toBe('gate');
});

test('what the first programs of users compute is in the gate', () => {
  expect(partOf(jax, testCase({ tags: ['numerics', 'first-programs'] }))).toBe('gate');
  expect(partOf(jax, testCase({ tags: ['numerics'] }))).toBeUndefined();
});

describe('smoke cases', () => {
  test('are in the gate when they do what everyday use does', () => {
    expect(partOf(jax, testCase({ tags: smoke }))).toBe('gate');
    expect(partOf(jax, testCase({ tags: smoke, steps: call('PJRT_Client_Devices') }))).toBe('gate');
  });

  test('are `informative` when they provoke an error, or call what is rarely used', () => {
    expect(partOf(jax, testCase({ tags: smoke, steps: call('PJRT_Client_Devices', 'any') }))).toBe('informative');
    expect(partOf(jax, testCase({ tags: smoke, steps: call('PJRT_Client_DmaMap') }))).toBe('informative');
  });
});

test('other cases are `informative` when they name functions of the release, by a call, a parameter or a need', () => {
  expect(partOf(jax, testCase({ steps: call('PJRT_Client_Devices') }))).toBe('informative');
  expect(partOf(jax, testCase({ params: { function: 'PJRT_Client_Devices' } }))).toBe('informative');
  expect(partOf(jax, testCase({ requires: { functions: ['PJRT_Client_Devices'] } }))).toBe('informative');
  expect(partOf(jax, testCase({ params: { function: 'sine' } }))).toBeUndefined();
});

test('what a release never calls is left out', () => {
  const bitcast = testCase({ tags: smoke, requires: { functions: ['PJRT_Buffer_Bitcast'] } });
  expect(partOf(jax, bitcast)).toBe('informative');
  expect(partOf(parseRelease('jax@0.8.1'), bitcast)).toBeUndefined();
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { sampleCase } from '../../suite/sample-case.test-helper.ts';
import type { Case } from '../../suite/types.ts';
import { gateFact, partOf } from './profile.ts';
import { reliancesOf } from './relies.ts';
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

describe('what a release relies on for right data', () => {
  const strided = { covers: ['BUF-HOST-009'] };
  test('is in the gate, whatever functions it names or does not', () => {
    expect(partOf(jax, testCase(strided))).toBe('gate');
    expect(partOf(parseRelease('pytorch-xla@2.9.0'), testCase(strided))).toBeUndefined();
  });

  test('with everyday types of arrays, and harmless arguments', () => {
    expect(partOf(jax, testCase({ ...strided, params: { dtype: 'bf16' } }))).toBe('gate');
    expect(partOf(jax, testCase({ ...strided, params: { dtype: 'f8e4m3fn' } }))).toBeUndefined();
    expect(partOf(jax, testCase({ ...strided, isolation: 'quarantine' }))).toBeUndefined();
  });
});

test('how many cases are in the gate, and what the others are about', () => {
  const cases = [testCase({ covers: ['NUM-INT-002'] }), testCase({}), sampleCase('views/b:c')];
  expect(gateFact(jax, cases)).toBe(
    'of 3 cases 1 are in the gate, 0 go further than everyday use, 2 are about what JAX neither calls nor relies on (a 1, views 1)',
  );
});

test('every requirement that frameworks rely on exists', () => {
  const known = readFileSync(packagePath('suites', 'requirements.yaml'), 'utf8');
  const ids = reliancesOf(jax).flatMap(({ requirements }) => requirements);
  expect(ids.filter((id) => !known.includes(`- id: ${id}\n`))).toEqual([]);
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

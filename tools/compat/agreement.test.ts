import { expect, test } from 'vitest';
import type { Prediction } from '../../harness/verdict/frameworks/prediction.ts';
import { compare } from './agreement.ts';

const predicted = (more: Partial<Prediction>): Prediction => ({
  outcome: 'works',
  reason: 'why',
  limits: [],
  limitFacts: [],
  facts: [],
  untried: [],
  ...more,
});
const refusal = predicted({ outcome: 'refuses', moment: 'client creation', message: 'no hardware' });

test('limits concern what the common workload does not do', () => {
  expect(compare(predicted({}), { outcome: 'works' })).toEqual({ agrees: true });
  expect(compare(predicted({ outcome: 'limits', moment: 'when used' }), { outcome: 'works' })).toEqual({
    agrees: true,
  });
});

test('a different class of outcome is a disagreement', () => {
  for (const outcome of ['refuses', 'aborts', 'wrong'] as const) {
    expect(compare(predicted({}), { outcome, moment: 'first compile' }).agrees).toBe(false);
  }
  expect(compare(refusal, { outcome: 'aborts', moment: 'client creation' }).agrees).toBe(false);
  expect(compare(refusal, { outcome: 'works' }).agrees).toBe(false);
});

test('a missing prediction does not agree', () => {
  expect(compare(predicted({ outcome: 'unknown' }), { outcome: 'works' }).agrees).toBe(false);
});

test('without a client, the behaviour on this machine is compared', () => {
  const noClient = 'INTERNAL: no';
  const open = predicted({ outcome: 'unknown', moment: 'client creation', message: noClient, noClient });
  const message = 'RuntimeError: INTERNAL: no';
  expect(compare(open, { outcome: 'refuses', moment: 'client creation', message })).toEqual({ agrees: true });
  expect(compare(open, { outcome: 'aborts', moment: 'client creation' }).agrees).toBe(false);
  const later = predicted({ outcome: 'aborts', moment: 'first compile', noClient });
  expect(compare(later, { outcome: 'refuses', moment: 'client creation', message })).toEqual({ agrees: true });
  expect(compare(later, { outcome: 'aborts', moment: 'first compile' }).agrees).toBe(false);
  const before = predicted({ outcome: 'aborts', moment: 'client creation', noClient });
  expect(compare(before, { outcome: 'refuses', moment: 'client creation', message }).agrees).toBe(false);
});

test('the phase must be the same', () => {
  const message = 'RuntimeError: no hardware was found';
  expect(compare(refusal, { outcome: 'refuses', moment: 'client creation', message })).toEqual({ agrees: true });
  expect(compare(refusal, { outcome: 'refuses', moment: 'first compile', message }).agrees).toBe(false);
  const abort = predicted({ outcome: 'aborts', moment: 'exit' });
  expect(compare(abort, { outcome: 'aborts', moment: 'exit', message: 'SIGABRT' })).toEqual({ agrees: true });
  expect(compare(abort, { outcome: 'aborts', moment: 'first error', message: 'SIGABRT' }).agrees).toBe(false);
});

test('the message of a refusal must be in what users see', () => {
  const seen = { outcome: 'refuses', moment: 'client creation' } as const;
  expect(compare(refusal, { ...seen, message: 'RuntimeError: something else' })).toEqual({
    agrees: false,
    differences: ['predicted the message: no hardware; users see: RuntimeError: something else'],
  });
  const silent = predicted({ outcome: 'refuses', moment: 'client creation' });
  expect(compare(silent, { ...seen, message: 'RuntimeError: no hardware' }).agrees).toBe(false);
});

test('a plugin that cannot be loaded must not give a client', () => {
  expect(compare(undefined, { outcome: 'refuses', moment: 'client creation', message: 'any' }).agrees).toBe(true);
  expect(compare(undefined, { outcome: 'aborts', moment: 'client creation' }).agrees).toBe(true);
  expect(compare(undefined, { outcome: 'works' }).agrees).toBe(false);
  expect(compare(undefined, { outcome: 'refuses', moment: 'first compile' }).agrees).toBe(false);
});

import { expect, test } from 'vitest';
import { NEWEST_MINOR } from '../../knowledge/abi/abi.ts';
import type { Prediction } from './prediction.ts';
import { parseRelease } from './spec.ts';
import { currentMinor, windowOf } from './window.ts';

const answer = (outcome: Prediction['outcome']): Prediction => ({
  outcome,
  reason: '',
  limits: [],
  limitFacts: [],
  facts: [],
  untried: [],
});

test.each([
  ['2025-10-21', 80],
  ['2025-10-22', 81],
  ['2025-11-24', 81],
  ['2025-11-25', 82],
  ['2026-09-07', 114],
  ['2026-09-08', 115],
  ['9999-12-31', NEWEST_MINOR],
])('on %s the C API was at 0.%i', (day, minor) => expect(currentMinor(day)).toBe(minor));

test('a plugin of the last weeks is inside, an older one outside, a younger one is not spoken of', () => {
  const jax = parseRelease('jax@0.10.2');
  // 2026-06-17 less 12 weeks is 2026-03-25, when 0.103 was a week old.
  expect(windowOf(jax, 112)).toMatchObject({ standing: 'inside', weeks: 12, since: '2026-03-25', oldestMinor: 103 });
  expect(windowOf(jax, 103).standing).toBe('inside');
  expect(windowOf(jax, 102).standing).toBe('outside');
  expect(windowOf(jax, 113).standing).toBe('newer');
});

test('the sentence has dates and the consequence', () => {
  expect(windowOf(parseRelease('jax@0.12.0'), 81, answer('works')).text).toBe(
    'this plugin (0.81, October to November 2025) is outside the 12 weeks that JAX 0.12.0 (October 2026) promises, which reach back to 2026-07-24 and 0.114, but works',
  );
  expect(windowOf(parseRelease('jax@0.8.2'), 81, answer('aborts')).text).toMatch(
    /inside .*worth reporting to the framework$/,
  );
  expect(windowOf(parseRelease('jax@0.7.2'), 81, answer('refuses')).text).toMatch(
    /newer than JAX 0.7.2 .*does not work$/,
  );
  expect(windowOf(parseRelease('jax@0.12.0'), 116, answer('unknown')).text).toMatch(
    /^this plugin \(0\.116, September to October 2026\) is inside/,
  );
});

test('where nothing is promised, nothing is claimed', () => {
  expect(windowOf(parseRelease('tensorflow@2.21'), 81)).toEqual({
    standing: 'unpromised',
    text: 'TensorFlow makes no known promise about older plugins',
  });
});

import { expect, test } from 'vitest';
import { duration, moreTime, moreTimeForAll, overruled, timeoutWords } from './timeouts.ts';

test('deadlines are words of a command line', () => {
  expect(timeoutWords({})).toEqual([]);
  expect(timeoutWords({ timeoutCase: 30_000, timeoutClient: 1_500_000 })).toEqual(['--timeout', 'client=25m,case=30s']);
});

test('a duration has no parts of a millisecond', () => {
  expect([47_111.953_749_999_884, 1500, 90_000, 600_000, 0.2].map(duration)).toEqual([
    '47112ms',
    '1500ms',
    '90s',
    '10m',
    '1ms',
  ]);
});

test('a missed deadline says how to give more, in whole seconds', () => {
  const missed = { deadline: 'clientCreate', ms: 9422.390_75 } as const;
  expect(moreTime(missed)).toBe('--timeout client=48s gives it more time');
  expect(moreTimeForAll(missed)).toBe('--timeout 48s gives it more time');
  expect(moreTime({ deadline: 'call', ms: 1500 })).toBe('--timeout call=7500ms gives it more time');
});

test('a manifest that asks for more is noted', () => {
  const [note] = overruled({ timeoutCall: 1000 }, 'foo', { call: 2000 });
  expect(note).toMatchObject({
    message: '--timeout call=1s has no effect: the manifest of foo asks for 2s, and the longer deadline applies',
  });
});

import { expect, test } from 'vitest';
import { compareVersions } from './dotted-version.ts';

test('components are compared as numbers, and missing ones are 0', () => {
  expect(compareVersions('1.9.0', '1.13.0')).toBeLessThan(0);
  expect(compareVersions('2.38', '2.9')).toBeGreaterThan(0);
  expect(compareVersions('1.13', '1.13.0')).toBe(0);
});

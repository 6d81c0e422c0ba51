import { expect, test } from 'vitest';
import { PROBE_NAMES } from './names.ts';
import { PROBES } from './probes.ts';

test('every probe has a name and a description, and the other way round', () => {
  expect(Object.keys(PROBES).sort()).toEqual(Object.keys(PROBE_NAMES).sort());
  for (const text of Object.values(PROBE_NAMES)) expect(text).toMatch(/^[A-Z].*\.$/);
});

import { expect, test } from 'vitest';
import { PROBES } from './probe-description.ts';
import { REPLACED_PROBES } from './replaced.ts';

const names = [...PROBES.keys()];

test('what is replaced is gone', () => {
  expect(Object.keys(REPLACED_PROBES).filter((name) => names.includes(name))).toEqual([]);
});

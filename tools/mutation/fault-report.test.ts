import { expect, test } from 'vitest';
import { readFaultReport } from './fault-report.ts';

test('reads what the library of faults appends', () => {
  expect(readFaultReport('')).toEqual({ struck: false });
  expect(readFaultReport('struck\n')).toEqual({ struck: true });
  expect(readFaultReport('missing an extension\nstruck\n')).toEqual({ struck: true, missing: 'an extension' });
});

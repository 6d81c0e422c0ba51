import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { readFaultReport } from './fault-report.ts';

test('reads what the library of faults appends', () => {
  expect(readFaultReport('')).toEqual({ reached: false });
  expect(readFaultReport('reached\n')).toEqual({ reached: true });
  expect(readFaultReport('marks\n')).toEqual({ reached: false, marks: true });
  expect(readFaultReport('missing an extension\nreached\n')).toEqual({ reached: true, missing: 'an extension' });
});

test('the library of faults appends these words', () => {
  const library = readFileSync(packagePath('plugins', 'faults', 'faults.cc'), 'utf8');
  const lines = [...library.matchAll(/Report\((?:std::string\()?"([^"]*)"/g)].map(([, line]) => line!);
  expect(readFaultReport(lines.join('\n'))).toEqual({ reached: true, marks: true, missing: expect.any(String) });
});

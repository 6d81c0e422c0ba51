import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Finding } from '../model/finding.ts';
import type { Case } from '../suite/types.ts';
import { withOutput } from './with-output.ts';

const testCase = (isolation = 'worker') => ({ isolation, line: 3 }) as Case;
const result = (status: CaseResult['status']): CaseResult => ({
  status,
  findings: [],
  durationMs: 1,
  nativeMs: 1,
  calls: 1,
});
const text = (head: string) => ({ head, tail: '', omittedBytes: 0 });

test('text on standard output is a finding of the first case that has a verdict; on standard error it is none', () => {
  const live = { printed: false };
  const both = { stdout: text('hello\n'), stderr: text('log\n') };
  expect(withOutput(live, testCase(), result('pass'), { stderr: text('log\n') }).status).toBe('pass');
  expect(withOutput(live, testCase('quarantine'), result('pass'), both).status).toBe('pass');
  expect(withOutput(live, testCase(), result('unsupported'), both).status).toBe('unsupported');
  expect(withOutput(live, testCase(), result('pass'), both)).toMatchObject({
    status: 'warn',
    ...both,
    findings: [{ level: 'should', detail: 'text: hello', requirements: ['HYG-OUT-001'], line: 3 }],
  });
  expect(withOutput(live, testCase(), result('pass'), both).status).toBe('pass');
});

test('a failure stays one, and a case that has said it does not say it twice', () => {
  expect(withOutput({ printed: false }, testCase(), result('fail'), { stdout: text('x') })).toMatchObject({
    status: 'fail',
    findings: [{ requirements: ['HYG-OUT-001'] }],
  });
  const said: Finding = { type: 'pjrt.ProcessChanged', level: 'should', message: 'm', requirements: ['HYG-OUT-001'] };
  const whole = withOutput(
    { printed: false },
    testCase(),
    { ...result('warn'), findings: [said] },
    { stdout: text('x') },
  );
  expect(whole.findings).toEqual([said]);
});

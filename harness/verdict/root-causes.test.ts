import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Cause, Finding } from '../model/finding.ts';
import type { LooksLike } from '../model/looks-like.ts';
import type { NumericRecord } from '../model/numeric-record.ts';
import { foldRun } from '../model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { causeEffect, causesLine, causeText } from './cause-text.ts';
import { rootCauses } from './root-causes.ts';

const causesOf = (results: CaseResult[], answers: Record<string, string[]> = {}) =>
  rootCauses(
    foldRun([
      header(),
      { type: 'plugin', plugin: facts({ answers }) },
      ...suiteEvents(
        'a',
        results.map((one, at) => ({ name: `case-${at}`, result: one })),
      ),
      footer(),
    ]),
  );

const causeTexts = (...given: Parameters<typeof causesOf>): string[] =>
  causesOf(...given).map((cause) => `${causeText(cause)} - ${causeEffect(cause)}`);

const fail = (finding: Partial<Finding>): CaseResult =>
  result('fail', { findings: [{ type: 'pjrt.UnexpectedError', level: 'must', message: 'm', ...finding }] });
const excused = (cause: Cause): CaseResult => result('unsupported', { reason: 'r', cause });
const comparison = (more: Partial<NumericRecord>): NumericRecord => ({
  ...{ what: 'y', maxUlp: 0, allowedUlp: 3, index: 0, expectedBits: '0x0', actualBits: '0x0' },
  ...more,
});
const SIZE = 'PJRT_Buffer_OnDeviceSizeInBytes';

test('a run in which everything passed has none', () => expect(causesOf([result('pass'), result('skip')])).toEqual([]));

test('a stub explains every case that it makes unsupported, whatever its message', () => {
  const stub = (message: string) => excused({ kind: 'unimplemented', call: SIZE, message });
  expect(causeTexts([stub('no size of 4'), stub('not yet'), result('pass')], { [SIZE]: ['UNIMPLEMENTED'] })).toEqual([
    `${SIZE} is UNIMPLEMENTED: no size of 4 - 2 cases could not be tried`,
  ]);
});

test('refusals of a working function are distinguished by their words, not by their numbers', () => {
  const compile = (message: string) => excused({ kind: 'unimplemented', call: 'PJRT_Client_Compile', message });
  const answers = { PJRT_Client_Compile: ['OK', 'UNIMPLEMENTED'] };
  expect(
    causeTexts([compile('op "sort" of f32[4]'), compile('op "sort" of s8[9]'), compile('no fft')], answers),
  ).toEqual([
    'PJRT_Client_Compile is UNIMPLEMENTED: op "sort" of f32[4] - 2 cases could not be tried',
    'PJRT_Client_Compile is UNIMPLEMENTED: no fft - 1 case could not be tried',
  ]);
});

test('wrong results of one operation have one cause, whatever the element type and the data', () => {
  const beyond = (op: string | undefined, message: string): CaseResult => ({
    ...fail({ type: 'pjrt.NumericMismatch', message }),
    numerics: [comparison({ mismatches: 0, op: 'add' }), comparison({ mismatches: 3, ...(op ? { op } : {}) })],
  });
  expect(
    causeTexts([
      beyond('exponential', 'y: 3 of 8 elements differ'),
      beyond('exponential', 'out of subnormal numbers: 3 of 8 elements differ; 1 with the wrong sign'),
      beyond('log', 'y: 3 of 8 elements differ'),
      beyond(undefined, 'y: 3 of 8 elements differ'),
      beyond('program', 'y: 7 of 8 elements differ'),
    ]),
  ).toEqual([
    'wrong results of exponential, e.g. y: 3 of 8 elements differ - 2 cases fail',
    'wrong values in a, e.g. y: 3 of 8 elements differ - 2 cases fail',
    'wrong results of log, e.g. y: 3 of 8 elements differ - 1 case fails',
  ]);
});

test('one defect that the bytes show is one cause, and the case that is about it comes first', () => {
  const shown = (kind: LooksLike['kind'], program?: string): CaseResult =>
    fail({ type: 'pjrt.NumericMismatch', message: 'x: 3 of 8 elements differ', looksLike: { kind, program } });
  const texts = (results: CaseResult[]) => causeTexts(results).map((text) => text.replace(/, e\.g\..*? - /, ' - '));
  expect(texts([shown('strides'), shown('zeros', 'a'), shown('zeros', 'b')])).toEqual([
    'PJRT_Client_BufferFromHostBuffer: the byte strides are ignored - 1 case fails',
    'wrong values in a - 2 cases fail',
  ]);
  expect(texts(['a', 'b', 'c'].map((program) => shown('zeros', program)))).toEqual([
    'PJRT_LoadedExecutable_Execute: the output is all zeros - 3 cases fail',
  ]);
});

test('a required function fails its own case, and other cases are attributed to it', () => {
  const call = 'PJRT_Client_Compile';
  const missing = fail({ type: 'pjrt.NotOffered', call, code: 'UNIMPLEMENTED', said: 'todo' });
  const rest = excused({ kind: 'unimplemented', call, message: 'todo' });
  expect(causeTexts([rest, missing, rest], { [call]: ['UNIMPLEMENTED'] })).toEqual([
    `${call} is UNIMPLEMENTED: todo - 1 case fails, 2 could not be tried`,
  ]);
});

test('a failing helper function is one cause with the cases that it blocks', () => {
  const call = 'PJRT_Buffer_ToHostBuffer';
  const violated = fail({ call, code: 'INTERNAL', said: 'no size' });
  const blocked = excused({ kind: 'failed', call, code: 'INTERNAL', message: 'no size' });
  expect(causeTexts([violated, blocked, blocked])).toEqual([
    `${call} returns INTERNAL: no size - 1 case fails, 2 could not be tried`,
  ]);
});

test('required slots that are NULL are one cause, an optional one is another', () => {
  const calls = ['PJRT_Event_Await', 'PJRT_Buffer_Memory'];
  const slots = fail({ type: 'pjrt.NullFunction', calls });
  expect(
    causeTexts([
      slots,
      ...['PJRT_Event_Await', 'PJRT_Buffer_Bitcast', 'PJRT_Buffer_Memory'].map((call) =>
        excused({ kind: 'null', call }),
      ),
    ]),
  ).toEqual([
    '2 functions are NULL: PJRT_Event_Await, PJRT_Buffer_Memory - 1 case fails, 2 could not be tried',
    'PJRT_Buffer_Bitcast is NULL - 1 case could not be tried',
  ]);
});

test('deaths are distinguished by call and signal, overruns separately', () => {
  const died = (inFlight: string, signal: string, type = 'pjrt.Crash'): CaseResult =>
    result('crash', { inFlight, signal, findings: [{ type, level: 'must', message: `${type} in ${inFlight}` }] });
  expect(
    causeTexts([
      died('PJRT_A', 'SIGSEGV'),
      died('PJRT_A', 'SIGSEGV'),
      died('PJRT_A', 'SIGABRT'),
      died('PJRT_A', 'SIGSEGV', 'pjrt.MemoryOverrun'),
      result('timeout', { inFlight: 'PJRT_A' }),
    ]),
  ).toEqual([
    'the process dies with SIGSEGV in PJRT_A - 2 cases fail',
    'the process dies with SIGABRT in PJRT_A - 1 case fails',
    'pjrt.MemoryOverrun in PJRT_A - 1 case fails',
    'PJRT_A does not return in time - 1 case fails',
  ]);
});

test('deaths of which the address says different things have different causes', () => {
  const died = (access: CaseResult['access'], sporadic?: true): CaseResult =>
    result('crash', {
      inFlight: 'PJRT_A',
      signal: 'SIGSEGV',
      access,
      sporadic,
      findings: [
        {
          type: access?.kind === 'overrun' ? 'pjrt.MemoryOverrun' : 'pjrt.Crash',
          level: 'must',
          message: `${access?.block ?? access?.kind}`,
        },
      ],
    });
  expect(
    causeTexts([
      died({ kind: 'overrun', block: 'data', how: 'read', beyond: 0 }),
      died({ kind: 'overrun', block: 'data', how: 'read', beyond: 69_632 }),
      died({ kind: 'overrun', block: 'dims', how: 'read', beyond: 0 }),
      died({ kind: 'null', how: 'write', offset: 24 }),
      died({ kind: 'wild' }),
      died(undefined),
      died(undefined, true),
    ]),
  ).toEqual([
    'data - 2 cases fail',
    'the process dies with SIGSEGV in PJRT_A - 2 cases fail',
    'dims - 1 case fails',
    'the process dies with SIGSEGV in PJRT_A: it writes through a null pointer (address 0x18) - 1 case fails',
    'sporadic: the process dies with SIGSEGV in PJRT_A - 1 case fails',
  ]);
});

test('wrong data of transfers and executions come first, from which others may follow; then deaths, then the rest', () => {
  const wrong = fail({ type: 'pjrt.NumericMismatch', message: 'y: 3 of 8 elements differ' });
  const died = result('crash', { inFlight: 'PJRT_Buffer_Delete', signal: 'SIGSEGV' });
  const suite = (name: string, results: CaseResult[]) =>
    suiteEvents(
      name,
      results.map((one, at) => ({ name: `case-${at}`, result: one })),
    );
  const run = foldRun([
    header(),
    { type: 'plugin', plugin: facts({ answers: {} }) },
    ...suite('numerics/unary', [wrong, wrong, wrong, died, died]),
    ...suite('execute/basics', [wrong, wrong]),
    ...suite('buffers/transfers', [wrong]),
    footer(),
  ]);
  expect(rootCauses(run).map(({ area, call }) => area ?? call)).toEqual([
    'buffers',
    'execute',
    'PJRT_Buffer_Delete',
    'numerics',
  ]);
});

test('a MUST comes before a SHOULD that explains more, and both before what is not offered', () => {
  const warn = result('warn', { findings: [{ type: 'pjrt.WrongError', level: 'should', message: 'odd' }] });
  expect(
    causeTexts([
      excused({ kind: 'absent', call: 'Layouts' }),
      warn,
      warn,
      fail({ type: 'pjrt.NumericMismatch', message: 'y: 3 of 12 elements differ' }),
      fail({ type: 'pjrt.NumericMismatch', message: 'y: 12 of 12 elements differ' }),
      fail({ type: 'pjrt.AssertionFailed', message: 'other' }),
    ]),
  ).toEqual([
    'wrong values in a, e.g. y: 3 of 12 elements differ - 2 cases fail',
    'other - 1 case fails',
    'odd - 2 cases warn',
    'there is no Layouts extension - 1 case could not be tried',
  ]);
});

test('cases that end in a cause count twice: behind it others wait', () => {
  const refused = fail({ call: 'PJRT_Buffer_Delete', code: 'INTERNAL' });
  const wrong = fail({ type: 'pjrt.AssertionFailed', message: 'wrong' });
  const texts = (results: CaseResult[]) => causeTexts(results).map((text) => text.replace(/^.* - /, ''));
  expect(texts([wrong, wrong, wrong, refused, refused])).toEqual(['2 cases fail', '3 cases fail']);
  expect(texts([wrong, wrong, wrong, refused])).toEqual(['3 cases fail', '1 case fails']);
});

test('what fails the run comes first, then what warns, what is known or expected, and what only blocks', () => {
  const named = (message: string, more: Partial<CaseResult> = {}): CaseResult => ({
    ...fail({ type: 'pjrt.AssertionFailed', message }),
    ...more,
  });
  const knownDeviation = { reason: 'by design', evidence: 'its source' };
  const warns = named('both', {
    status: 'warn',
    findings: [{ type: 'pjrt.AssertionFailed', level: 'should', message: 'both' }],
  });
  const run = foldRun([
    header({ options: { acceptKnown: true } }),
    ...suiteEvents(
      'a',
      [
        excused({ kind: 'absent', call: 'Layouts' }),
        ...[named('odd', { knownDeviation }), named('odd', { knownDeviation }), named('odd', { knownDeviation })],
        ...[named('both'), named('both', { knownDeviation }), warns],
      ].map((one, at) => ({ name: `case-${at}`, result: one })),
    ),
    footer(),
  ]);
  const causes = rootCauses(run);
  expect(causes.map((cause) => `${causeText(cause)} - ${causeEffect(cause)}`)).toEqual([
    'both - 1 case fails, 1 warns, 1 is known or expected',
    'odd - 3 cases are known or expected',
    'there is no Layouts extension - 1 case could not be tried',
  ]);
  expect(causesLine(causes)).toBe('3 root causes: 1 fails the run, 1 is known or expected, 1 only blocks cases');
});

test('an unsupported element type', () => {
  const cause: Cause = {
    kind: 'refused',
    call: 'PJRT_Client_BufferFromHostBuffer',
    code: 'INVALID_ARGUMENT',
    dtype: 'f64',
  };
  expect(causeTexts([excused(cause)])).toEqual([
    'f64 is refused with INVALID_ARGUMENT by PJRT_Client_BufferFromHostBuffer - 1 case could not be tried',
  ]);
});

import { expect, test } from 'vitest';
import type { CaseResult } from '../model/case-result.ts';
import type { Status } from '../model/status.ts';
import { sampleCase } from '../suite/sample-case.test-helper.ts';
import type { Isolation } from '../suite/types.ts';
import type { Job, Ran } from './job-queue.ts';
import { OrderInquiry } from './order-inquiry.ts';
import type { RunContext, RunPlan } from './run-plan.ts';

const ended = (status: Status, more: Partial<CaseResult> = {}): CaseResult => ({
  ...{ status, findings: [], durationMs: 1, nativeMs: 1, calls: 1 },
  ...more,
});
const job = (isolation: Isolation = 'worker', more: Partial<Job> = {}): Job => ({
  number: 9,
  case: sampleCase('s:victim', { isolation }),
  ...{ programs: [], part: 0, isolated: false, exclusive: false, lost: 0, tries: [] },
  ...more,
});

/** An inquiry in a run that has taken a minute, and whose clock only goes on in `processes` that take this long. */
function inquiry({ plan = {}, processMs = 0 }: { plan?: Partial<RunPlan>; processMs?: number } = {}) {
  let now = 60_000;
  const context = { plan: { signal: new AbortController().signal, ...plan }, at: () => now } as unknown as RunContext;
  const inquiries = new OrderInquiry(context);
  const ran: Ran[] = Array.from({ length: 64 }, (_, i) => ({ number: i, case: sampleCase(`s:${i}`) }));
  const failsAfter =
    (...culprits: string[]) =>
    async (earlier: readonly Ran[]) => {
      now += processMs;
      return culprits.every((id) => earlier.some(({ case: one }) => one.id === id));
    };
  return { inquiries, ran, failsAfter };
}

test.each<[string, Job, number, Status, boolean]>([
  ['fails after others', job(), 3, 'fail', true],
  ['dies after others', job(), 3, 'crash', true],
  ['only warns after others', job(), 3, 'warn', true],
  ['fails as the first', job(), 0, 'fail', false],
  ['passes', job(), 3, 'pass', false],
  ['is not offered', job(), 3, 'unsupported', false],
  ['may harm its process', job('quarantine'), 3, 'fail', false],
  ['is run again alone', job('worker', { why: 'rerun' }), 3, 'fail', false],
  ['is repeated already', job('worker', { doubt: { result: ended('fail'), worker: 1, ran: [] } }), 3, 'fail', false],
  ['runs while no other does', job('worker', { exclusive: true }), 3, 'fail', false],
])('a case that %s', (_, one, earlier, status, doubted) => {
  expect(inquiry().inquiries.doubts(one, earlier, ended(status))).toBe(doubted);
});

test('what the first case of a process says about the process is not repeated', () => {
  const changed = ended('warn', {
    findings: [{ type: 'pjrt.ProcessChanged', level: 'should', message: 'it has written', requirements: ['A-1'] }],
  });
  expect(inquiry().inquiries.doubts(job(), 3, changed)).toBe(false);
});

test('a failure that several cases had alone too is believed, and what is known is never in doubt', () => {
  const { inquiries } = inquiry();
  const failed = ended('fail', {
    findings: [{ type: 'pjrt.Failed', level: 'must', message: 'no', requirements: ['A-1'] }],
  });
  for (let i = 0; i < 3; i++) {
    expect(inquiries.doubts(job(), 3, failed)).toBe(true);
    inquiries.confirm(failed);
  }
  expect(inquiries.doubts(job(), 3, failed)).toBe(false);
  expect(inquiries.doubts(job(), 3, ended('crash', { inFlight: 'PJRT_Event_Await' }))).toBe(true);
  const known = inquiry({ plan: { knownToFail: (id) => id === 's:victim' } });
  expect(known.inquiries.doubts(job(), 3, failed)).toBe(false);
});

test('the case after which another fails is a culprit from then on', async () => {
  const { inquiries, ran, failsAfter } = inquiry();
  expect(await inquiries.after(ran, failsAfter('s:20'))).toEqual({ cases: ['s:20'] });
  expect(inquiries.isCulprit(sampleCase('s:20'))).toBe(true);
  expect(inquiries.isCulprit(sampleCase('s:21'))).toBe(false);
  expect(await inquiries.after(ran, failsAfter('s:3', 's:40'))).toEqual({ cases: ['s:3', 's:40'] });
  expect(await inquiries.after(ran, failsAfter('s:99'))).toBeUndefined();
});

test('a search that takes too long ends with what is known, and the next has no time left', async () => {
  // Five minutes, where sixty tries take longer.
  const { inquiries, ran, failsAfter } = inquiry({ processMs: 60_000 });
  expect(await inquiries.after(ran, failsAfter('s:60'))).toEqual({ cases: ['s:60'] });
  expect(await inquiries.after(ran, failsAfter('s:20'))).toBe('untried');
  const slow = inquiry({ processMs: 80_000 });
  expect(await slow.inquiries.after(slow.ran, slow.failsAfter('s:60'))).toEqual({
    cases: ['s:60', 's:61'],
    further: 0,
  });
});

test('a search on a slow machine may take as long as its tries', async () => {
  const { inquiries, ran, failsAfter } = inquiry({ processMs: 3_000 });
  expect(await inquiries.after(ran, failsAfter('s:40', 's:60'))).toEqual({ cases: ['s:40', 's:60'] });
});

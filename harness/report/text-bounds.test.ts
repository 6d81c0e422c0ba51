import { expect, test } from 'vitest';
import type { Event } from '../model/events.ts';
import { foldRun } from '../model/run.ts';
import { footer, header, result, suiteEvents } from '../model/sample-log.test-helper.ts';
import { writeHtml } from './html.ts';
import { writeJson } from './json.ts';
import { writeJunit } from './junit.ts';
import { asReported, TextBudget, withinBounds } from './text-bounds.ts';

const long = 'é'.repeat(10_000);
const finding = (message: string, detail?: string) =>
  ({ type: 'pjrt.WrongError', level: 'must', message, ...(detail === undefined ? {} : { detail }) }) as const;

test('each text has a bound, and says how much was cut', () => {
  const data = withinBounds({ message: long, detail: long.repeat(9), list: ['short', long], n: 1 });
  expect(data.message).toBe(`${'é'.repeat(8192)} … [3616 bytes omitted]`);
  expect(data.list).toEqual(['short', data.message]);
  expect(data.detail.length).toBeLessThan(33_000);
  const small = { a: ['b'] };
  expect(withinBounds(small)).toBe(small);
  expect(withinBounds({ message: `${'x'.repeat(8191)}😀` }).message).toBe(`${'x'.repeat(8191)} … [4 bytes omitted]`);
});

test('what exceeds a total is cut to lines; identifiers stay', () => {
  const budget = new TextBudget(20_000, ', see it');
  const whole = result('fail', {
    findings: [{ ...finding(long, 'a detail\n'.repeat(99)), call: 'PJRT_Client_Create', said: 'x' }],
    stderr: { head: long, tail: 'end', omittedBytes: 5 },
  });
  expect(budget.spent(result('pass'))).toEqual(result('pass'));
  const cut = budget.spent(whole);
  expect(cut.findings).toEqual([
    {
      ...finding(`${'é'.repeat(200)} … [19600 bytes omitted, see it]`, '[891 bytes omitted, see it]'),
      call: 'PJRT_Client_Create',
      said: 'x',
    },
  ]);
  expect(cut.stderr).toEqual({ head: 'é'.repeat(200), tail: '', omittedBytes: 5 + 19_600 + 3 });
  expect(cut.status).toBe('fail');
});

test('reports of a run with too much text have their own bound, and all cases', () => {
  const cases = Array.from({ length: 3000 }, (_, n) => ({
    name: `case-${n}`,
    result: result('fail', { findings: [finding(`${n} ${'m'.repeat(8000)}`, 'd'.repeat(30_000))] }),
  }));
  const events: Event[] = [header(), ...suiteEvents('area/suite', cases), footer()];
  const run = foldRun(events);
  const shown = asReported(run);
  expect([shown.counts, shown.cases.size, shown.suites[0]!.cases.length]).toEqual([run.counts, 3000, 3000]);
  expect(run.suites[0]!.cases[2999]!.result!.findings[0]!.message.length).toBeGreaterThan(8000);
  for (const write of [writeJunit, writeJson, writeHtml]) {
    let text = '';
    write(shown, (chunk) => (text += chunk), {});
    expect(text.length).toBeLessThan(64 << 20);
    // The data of the page are compressed.
    if (write === writeHtml) continue;
    expect(text).toContain('case-2999');
    expect(text).toContain('bytes omitted, see events.jsonl]');
  }
  const few = foldRun([header(), ...suiteEvents('area/suite', cases.slice(0, 9)), footer()]);
  expect(asReported(few)).toBe(few);
});

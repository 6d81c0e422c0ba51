import type { Event } from '../../harness/model/events.ts';
import { foldRun, type Run } from '../../harness/model/run.ts';
import { facts, footer, header, result, suiteEvents } from '../../harness/model/sample-log.test-helper.ts';
import type { Status } from '../../harness/model/status.ts';

const SUITES = 100;

/** A run with any number of cases, always the same: one in fifty fails, one in five hundred crashes. */
export function syntheticRun(cases: number): Run {
  const each = Math.ceil(cases / SUITES);
  const suites = Array.from({ length: SUITES }, (_, s) =>
    suiteEvents(
      `area${s % 10}/suite${s}`,
      Array.from({ length: Math.min(each, cases - s * each) }, (_, c) => ({
        name: `case-${c % 40}[dtype=f${2 ** (3 + (c % 4))},shape=${c}x${s}]`,
        plan: {
          title: `The sum of ${c} and ${s} is exact.`,
          covers: [`REQ-${s % 15}-${c % 30}`],
          tags: [`tag${c % 7}`],
        },
        result: resultOf(s * each + c),
      })),
      s * each,
    ),
  );
  return foldRun([header(), { type: 'plugin', plugin: facts() }, ...suites.flat(), footer()] as Event[]);
}

function resultOf(at: number) {
  const status: Status = at % 500 === 7 ? 'crash' : at % 50 === 3 ? 'fail' : at % 20 === 1 ? 'unsupported' : 'pass';
  const numerics = [
    { what: 'y', maxUlp: at % 9, allowedUlp: 8, index: at, expectedBits: '0x3f800000', actualBits: '0x3f800001' },
  ];
  if (status === 'pass') return result(status, { durationMs: at % 100, numerics });
  if (status === 'unsupported') return result(status, { reason: `f${at % 5} came with API 0.114` });
  return result(status, {
    findings: [
      {
        type: 'pjrt.WrongValue',
        level: 'must',
        message: `${at % 13} of 400 elements differ`,
        detail: `index expected actual\n${at} 0x3f800000 0x3f800001`,
        call: `PJRT_Buffer_F${at % 11}`,
      },
    ],
    stderr: { head: `line of case ${at}\n`.repeat(5), tail: '', omittedBytes: 0 },
    ...(status === 'crash' ? { signal: 'SIGSEGV', inFlight: 'PJRT_Buffer_Destroy' } : {}),
  });
}

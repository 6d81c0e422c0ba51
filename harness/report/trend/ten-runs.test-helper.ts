import type { CaseResult } from '../../model/case-result.ts';
import type { Event } from '../../model/events.ts';
import { facts, footer, header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import type { Status } from '../../model/status.ts';

/** Ten nightly runs of three builds of a plugin, the fifth of which was interrupted. */

/** The mark of each run: `.` passes, `F` fails, `C` crashes, `~` is flaky, `-` is skipped; a blank is not planned. */
const HISTORIES: Readonly<Record<string, string>> = {
  steady: '..........',
  'known-for-long': 'FFFFFFFFFF',
  regressed: '......FFFF',
  'wobbly[dtype=f32]': '..F.F..F..',
  'wobbly[dtype=f64]': '..F.F..F..',
  'dies-once': '...C......',
  'flaky-once': '.....~....',
  repaired: 'FFF.......',
  'back-and-gone': '.FF...... ',
  'skipped-later': '..F..-----',
};

const STATUS: Readonly<Record<string, Status>> = { '.': 'pass', F: 'fail', C: 'crash', '~': 'flaky', '-': 'skip' };

/** By run: the build of the plugin. */
const BUILDS = 'aaabbbcccc';
const NIGHTS = BUILDS.length;
const KIB = 1024;

/** A case with a status, as the plugin of the samples ends it. */
export function ended(status: Status, more: Partial<CaseResult> = {}): CaseResult {
  const violates = status !== 'pass' && status !== 'skip';
  return result(status, {
    ...(violates
      ? {
          findings: [
            { type: 'pjrt.WrongError', level: 'must', message: `it ends as ${status}`, requirements: ['BUF-DEL-002'] },
          ],
        }
      : {}),
    ...(status === 'crash' ? { signal: 'SIGSEGV', inFlight: 'PJRT_Buffer_Destroy' } : {}),
    ...(status === 'skip' ? { reason: 'no device' } : {}),
    ...more,
  });
}

/** Time in a function in case n of a night: from the eighth on it is more than twice as long; nights differ a little. */
const compileMs = (night: number, n: number): number =>
  (10 + n) * (night < 7 ? 1 : 2.4) * (1 + ((night * 7 + n) % 5) / 50);

/** The log of a night, from 0. */
function nightLog(night: number): Event[] {
  const interrupted = night === 4;
  const build = BUILDS[night]!;
  const cases = Object.entries(HISTORIES).flatMap(([name, marks]) => {
    const mark = marks[night]!;
    if (mark === ' ') return [];
    // The run was interrupted before its last case.
    return interrupted && name === 'skipped-later' ? [{ name }] : [{ name, result: ended(STATUS[mark]!) }];
  });
  const timed = Array.from({ length: 12 }, (_, n) => ({
    name: `compile-${n}`,
    result: ended('pass', {
      ...{ durationMs: compileMs(night, n) + 5, nativeMs: compileMs(night, n) },
      callMs: { PJRT_Client_Compile: compileMs(night, n) },
      ...(n === 0
        ? {
            programMemory: [
              {
                program: 'dot/big',
                bytes: { temp_size_in_bytes: (64 + (night < 6 ? 0 : 48)) * KIB, output_size_in_bytes: 64 * KIB },
              },
            ],
          }
        : {}),
    }),
  }));
  const day = `2026-11-${String(night + 1).padStart(2, '0')}`;
  return [
    header({ startedAt: `${day}T02:00:00.000Z` }),
    {
      type: 'plugin',
      plugin: facts({ sha256: build.repeat(64), platformVersion: `example 1.${BUILDS.indexOf(build)}` }),
    },
    ...suiteEvents('s/errors', cases),
    ...suiteEvents('s/compile', timed, 500),
    { type: 'worker', worker: 1, what: 'exit', pid: 1, atMs: 900, peakRssBytes: (200 + 4 * night) * KIB * KIB },
    footer({
      finishedAt: `${day}T02:04:00.000Z`,
      durationMs: 200_000 + night * 1500,
      ...(interrupted
        ? { exitCode: 130, verdict: 'interrupted', interrupted: true }
        : { exitCode: 1, verdict: 'cases violate a MUST' }),
    }),
  ];
}

/** Logs of all nights, not in the order of time. */
export const nights = (): { name: string; events: Event[] }[] =>
  Array.from({ length: NIGHTS }, (_, at) => (at * 7) % NIGHTS).map((night) => ({
    name: `reports/night-${night + 1}`,
    events: nightLog(night),
  }));

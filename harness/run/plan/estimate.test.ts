import { expect, test } from 'vitest';
import { compilationsOf } from '../../suite/compilations.ts';
import { standardCases } from '../../suite/standard.ts';
import type { Case } from '../../suite/types.ts';
import { packageSuites } from '../suites/package-suites.ts';
import { type Ended, Estimate } from './estimate.ts';

const { cases: all } = packageSuites();
const chosen = standardCases(all);
const cases = all.filter(({ id }) => chosen.has(id));
const isolatedLast = (['worker', 'quarantine', 'process'] as const).flatMap((isolation) =>
  cases.filter((c) => c.isolation === isolation),
);

/** Progress of a run on a plugin with these times: two workers with half of the work each. */
function play(plugin: { compileMs: number; caseMs: number; startMs: number }, order: readonly Case[]) {
  const programs = new Set<string>();
  let clock = plugin.startMs;
  const course: { ended: Ended; atMs: number }[] = [];
  for (const testCase of order) {
    const { own, shared } = compilationsOf(testCase);
    const compilations = own + shared.filter((program) => !programs.has(program)).length;
    for (const program of shared) programs.add(program);
    const compileMs = compilations * plugin.compileMs;
    const durationMs = compileMs + plugin.caseMs;
    clock += (durationMs + (testCase.isolation === 'process' ? plugin.startMs : 0)) / 2;
    course.push({ ended: { id: testCase.id, durationMs, compileMs }, atMs: clock });
  }
  return course;
}

test.each([
  ['a slow compiler', { compileMs: 22_000, caseMs: 5, startMs: 300 }],
  ['a slow client', { compileMs: 50, caseMs: 5, startMs: 20_000 }],
  ['slow in everything', { compileMs: 3000, caseMs: 800, startMs: 5000 }],
])('within 30 %% from the first estimate until half of the time is over: %s', (_, plugin) => {
  const course = play(plugin, isolatedLast);
  const total = course.at(-1)!.atMs;
  const estimate = new Estimate(cases, 2);
  let estimates = 0;
  for (let i = 0; i < course.length && course[i]!.atMs < total / 2; i += 10) {
    const ended = course.slice(0, i + 1).map((c) => c.ended);
    const { atMs } = course[i]!;
    const remaining = estimate.remainingMs(ended, atMs);
    if (remaining === undefined) continue;
    estimates++;
    expect(Math.abs(atMs + remaining - total) / total).toBeLessThan(0.3);
  }
  expect(estimates).toBeGreaterThan(0);
});

test('is undefined before it has data, and 0 at the end', () => {
  const estimate = new Estimate(cases, 2);
  expect(estimate.remainingMs([], 1000)).toBeUndefined();
  const course = play({ compileMs: 10, caseMs: 1, startMs: 100 }, isolatedLast);
  const first = course.slice(0, 5).map((c) => ({ ...c.ended, compileMs: 0 }));
  expect(estimate.remainingMs(first, 1000)).toBeUndefined();
  expect(
    estimate.remainingMs(
      course.map((c) => c.ended),
      course.at(-1)!.atMs,
    ),
  ).toBe(0);
});

test('cases of another run do not count', () => {
  const stray = { id: 'no/such:case', durationMs: 1e9, compileMs: 1e9 };
  expect(new Estimate(cases, 2).remainingMs([stray], 1)).toBeUndefined();
});

test('the time of a running case does not count as start time of workers', () => {
  const long = all.find((c) => compilationsOf(c).own > 4)!;
  const short = cases.filter((c) => c !== long && c.isolation === 'worker' && compilationsOf(c).own === 1).slice(0, 3);
  const took = 3 * 20_005;
  const ended = short.map(({ id }) => ({ id, durationMs: 20_005, compileMs: 20_000 }));
  const left = compilationsOf(long).own * 20_000 - took;
  const estimate = new Estimate([...short, long], 2);
  const remaining = estimate.remainingMs(ended, took + 300, [{ id: long.id, sinceMs: took }])!;
  expect(Math.abs(remaining - left / 2)).toBeLessThan(1000);
});

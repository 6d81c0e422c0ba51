import { describe, expect, test } from 'vitest';
import type { CaseResult } from '../../model/case-result.ts';
import { foldRun } from '../../model/run.ts';
import { header, result, suiteEvents } from '../../model/sample-log.test-helper.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { type NamedRun, Side } from './side.ts';
import { median, signConfidence } from './sign-test.ts';
import { compareTimes, type TimeComparison, type TimeRecord, timeChanges } from './time-changes.ts';

const COMPILE = 'PJRT_Client_Compile';

describe('the sign test', () => {
  test('is exact', () => {
    expect(signConfidence(8, 8)).toBeCloseTo(1 - 1 / 256, 12);
    expect(signConfidence(7, 8)).toBeCloseTo(1 - 9 / 256, 12);
    expect(signConfidence(5, 10)).toBeCloseTo(1 - 638 / 1024, 12);
    expect(signConfidence(0, 10)).toBe(0);
    expect(signConfidence(0, 0)).toBe(0);
  });

  test('works for thousands', () => {
    expect(signConfidence(2500, 5000)).toBeCloseTo(0.5, 1);
    expect(signConfidence(2600, 5000)).toBeGreaterThan(0.99);
    expect(signConfidence(5000, 5000)).toBe(1);
  });

  test('the median', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([])).toBeNaN();
  });
});

/** Uniform numbers from a seed (mulberry32): the same in every test run. */
function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Noise {
  cases: number;
  /** Standard deviation of the logarithm of a time. */
  sigma: number;
  /** Share of cases delayed by something else, by a factor of 2 to 12. */
  heldUp?: number;
  /** Largest factor by which a whole run is slower, harness and plugin alike. */
  machine?: number;
  /** The same for the plugin alone, invisible to the harness. */
  plugin?: number;
}

/** A run in which each case compiles and takes a case-specific time, times a factor, times noise. */
function noisyRun(random: () => number, noise: Noise, factor = 1): NamedRun {
  const { cases, sigma, heldUp = 0.05, machine = 1, plugin = 1 } = noise;
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const delay = (): number => (random() < heldUp ? 2 + 10 * random() : 1) * Math.exp(sigma * normal());
  const [slow, own] = [machine ** random(), plugin ** random()];
  const planned = Array.from({ length: cases }, (_, i) => {
    const compileMs = (2 + (i % 17)) * delay() * slow * own * factor;
    const durationMs = compileMs + 1.5 * delay() * slow;
    const taken: CaseResult = result('pass', { durationMs, nativeMs: compileMs, callMs: { [COMPILE]: compileMs } });
    return { name: `c${i}`, result: taken };
  });
  return { name: 'run', run: foldRun([header(), ...suiteEvents('s', planned)]) };
}

const compareNoisy = (old: NamedRun[], now: NamedRun[]): TimeComparison =>
  compareTimes(new Side(old), new Side(now), DEFAULT_POLICY.thresholds.slowdown);

const verdictOf = (comparison: TimeComparison): TimeRecord['verdict'] => comparison.records[0]!.verdict;

/** Share of trials in which a run with this factor was reported as slower than one without. */
function rate(noise: Noise, factor: number, trials: number, repeats = 1): number {
  const random = uniform(noise.cases * 1000 + Math.round(noise.sigma * 100) + repeats);
  let slower = 0;
  for (let i = 0; i < trials; i++) {
    const side = (by: number): NamedRun[] => Array.from({ length: repeats }, () => noisyRun(random, noise, by));
    if (verdictOf(compareNoisy(side(1), side(factor))) === 'slower') slower++;
  }
  return slower / trials;
}

describe('slower calls', () => {
  const TRIALS = 200;

  test.each<[string, Noise]>([
    ['10 cases', { cases: 10, sigma: 0.3 }],
    ['50 cases with much noise', { cases: 50, sigma: 0.5, heldUp: 0.1 }],
    ['200 cases on a machine that is up to 3× slower for a while', { cases: 200, sigma: 0.3, machine: 3 }],
    ['200 cases with a plugin that is up to 1.4× slower for a while', { cases: 200, sigma: 0.3, plugin: 1.4 }],
  ])('no false alarm for equal plugins: %s', (_, noise) => {
    expect(rate(noise, 1, TRIALS)).toBe(0);
  });

  test.each<[string, number, Noise]>([
    ['20 cases', 0.85, { cases: 20, sigma: 0.2 }],
    ['50 cases', 0.95, { cases: 50, sigma: 0.3 }],
    ['200 cases with much noise', 0.95, { cases: 200, sigma: 0.5, heldUp: 0.1 }],
  ])('2× is detected in most trials: %s', (_, least, noise) => {
    expect(rate(noise, 2, TRIALS)).toBeGreaterThan(least);
  });

  test('with repeats, a slower machine is no alarm, and 2× is still detected', () => {
    const noise: Noise = { cases: 40, sigma: 0.3, plugin: 2.5 };
    expect(rate(noise, 1, 60, 5)).toBeLessThan(0.05);
    expect(rate({ ...noise, plugin: 1.3 }, 2, 60, 5)).toBe(1);
  });

  test('a single slow case is noise, however slow', () => {
    const random = uniform(1);
    const noise: Noise = { cases: 40, sigma: 0.05, heldUp: 0 };
    const [old, now] = [noisyRun(random, noise), noisyRun(random, noise)];
    now.run.cases.get('s:c7')!.result!.callMs![COMPILE] = 60_000;
    expect(verdictOf(compareNoisy([old], [now]))).toBe('same');
  });

  test('the change states the factor, the number of cases, and the confidence', () => {
    const random = uniform(2);
    const noise: Noise = { cases: 40, sigma: 0.05, heldUp: 0 };
    const comparison = compareNoisy([noisyRun(random, noise)], [noisyRun(random, noise, 2)]);
    const [change] = timeChanges(comparison);
    expect(change).toMatchObject({ kind: 'slowdown', subject: COMPILE });
    expect(change!.message).toMatch(
      /^(1\.9|2\.0)\d× as slow over 40 cases, slower in 40 of them; confidence over 99\.99 %$/,
    );
    const [faster] = timeChanges(compareNoisy([noisyRun(random, noise, 2)], [noisyRun(random, noise)]));
    expect(faster).toMatchObject({ kind: 'speedup', subject: COMPILE });
  });

  test('a plugin with constant times on a slower machine, or one faster together with the machine, is unchanged', () => {
    const scaled = (machine: number, plugin: number): NamedRun => {
      const random = uniform(7);
      const cases = Array.from({ length: 60 }, (_, i) => {
        const compileMs = (3 + random()) * plugin;
        const durationMs = compileMs + (1 + random()) * machine;
        return {
          name: `c${i}`,
          result: result('pass', { durationMs, nativeMs: compileMs, callMs: { [COMPILE]: compileMs } }),
        };
      });
      return { name: 'run', run: foldRun([header(), ...suiteEvents('s', cases)]) };
    };
    const verdict = (machine: number, plugin: number): string =>
      verdictOf(compareNoisy([scaled(1, 1)], [scaled(machine, plugin)]));
    expect([verdict(2, 1), verdict(2, 2), verdict(0.5, 1), verdict(0.5, 0.5)]).toEqual([
      'same',
      'same',
      'same',
      'same',
    ]);
    expect([verdict(1, 2), verdict(0.5, 2), verdict(2, 4), verdict(1, 0.5), verdict(2, 0.5)]).toEqual([
      'slower',
      'slower',
      'slower',
      'faster',
      'faster',
    ]);
  });

  test('waiting for a processor is not slower; working or sleeping longer is', () => {
    const one = (compileMs: number, runningMs: number, waitingMs: number): NamedRun => {
      const random = uniform(11);
      const cases = Array.from({ length: 30 }, (_, i) => {
        const callMs = { [COMPILE]: compileMs + random() };
        const scheduling = { runningMs, waitingMs };
        const durationMs = callMs[COMPILE] + 1;
        return { name: `c${i}`, result: result('pass', { durationMs, nativeMs: callMs[COMPILE], callMs, scheduling }) };
      });
      return { name: 'run', run: foldRun([header(), ...suiteEvents('s', cases)]) };
    };
    const alone = one(10, 11, 0);
    const crowded = compareNoisy([alone], [one(20, 11, 11)]);
    expect(crowded.records[0]).toMatchObject({ verdict: 'same', machine: 2 });
    expect(verdictOf(compareNoisy([alone], [one(30, 33, 0)]))).toBe('slower');
    expect(verdictOf(compareNoisy([alone], [one(30, 11, 0)]))).toBe('slower');
    expect(verdictOf(compareNoisy([one(20, 11, 11)], [one(10, 11, 0)]))).toBe('same');
    // Beyond that only repeats can decide.
    const busy = one(60, 11, 44);
    expect(compareNoisy([alone], [busy]).omitted).toMatch(
      /^the machine was so busy that cases waited 4\.0 times as long/,
    );
    expect(compareNoisy([alone, alone], [busy, busy]).omitted).toBeUndefined();
  });

  test('random waits are not slower if there are more of them by chance', () => {
    const lucky = (share: number, ms = 20): NamedRun => {
      const random = uniform(13);
      const cases = Array.from({ length: 80 }, (_, i) => {
        const waited = random() < share ? 0.06 : ms + random();
        return { name: `c${i}`, result: result('pass', { callMs: { PJRT_Event_Await: waited } }) };
      });
      return { name: 'run', run: foldRun([header(), ...suiteEvents('s', cases)]) };
    };
    expect(verdictOf(compareNoisy([lucky(0.45)], [lucky(0.3)]))).toBe('same');
    expect(verdictOf(compareNoisy([lucky(0.45)], [lucky(0.3, 60)]))).toBe('slower');
  });

  describe('in a few cases of a suite', () => {
    const AWAIT = 'PJRT_Event_Await';
    /** 200 cases; those with the first numbers spend their time in a function. */
    const some = (name: string, ms: number, ...cases: number[]): NamedRun => {
      const planned = Array.from({ length: 200 }, (_, i) => ({
        name: `c${i}`,
        result: result('pass', { callMs: cases.includes(i) ? { [name]: ms + i / 1000 } : {} }),
      }));
      return { name: 'run', run: foldRun([header(), ...suiteEvents('s', planned)]) };
    };
    const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

    test('waits on one side alone are chance', () => {
      expect(compareNoisy([some(AWAIT, 2)], [some(AWAIT, 2, ...upTo(30))]).records).toEqual([]);
      expect(compareNoisy([some(AWAIT, 2, ...upTo(30))], [some(AWAIT, 2)]).records).toEqual([]);
    });

    test('waits on both sides, and the time of any other function, are not', () => {
      expect(verdictOf(compareNoisy([some(AWAIT, 2, ...upTo(30))], [some(AWAIT, 6, ...upTo(30))]))).toBe('slower');
      expect(verdictOf(compareNoisy([some(COMPILE, 2)], [some(COMPILE, 2, ...upTo(30))]))).toBe('slower');
    });
  });

  test('very short times, and few cases, are not judged', () => {
    const random = uniform(3);
    const few = compareNoisy(
      [noisyRun(random, { cases: 5, sigma: 0.1 })],
      [noisyRun(random, { cases: 5, sigma: 0.1 }, 4)],
    );
    expect(few.records[0]).toMatchObject({ cases: 5, verdict: 'too few cases' });
    const quick = (ms: number): NamedRun => {
      const cases = Array.from({ length: 30 }, (_, i) => ({
        name: `c${i}`,
        result: result('pass', { callMs: { [COMPILE]: ms } }),
      }));
      return { name: 'run', run: foldRun([header(), ...suiteEvents('s', cases)]) };
    };
    expect(compareNoisy([quick(0.06)], [quick(0.18)]).records).toEqual([]);
    expect(verdictOf(compareNoisy([quick(0.06)], [quick(0.24)]))).toBe('slower');
  });

  test('a function that is slower in a single suite is reported with the suite', () => {
    const random = uniform(4);
    const one = (factor: number): NamedRun => {
      const events = ['a', 'b', 'c', 'd'].flatMap((suite) =>
        suiteEvents(
          suite,
          Array.from({ length: 20 }, (_, i) => ({
            name: `c${i}`,
            result: result('pass', { callMs: { [COMPILE]: (5 + random()) * (suite === 'b' ? factor : 1) } }),
          })),
        ),
      );
      return { name: 'run', run: foldRun([header(), ...events]) };
    };
    const changes = [...timeChanges(compareNoisy([one(1)], [one(3)]))];
    expect(changes.map(({ kind, subject }) => [kind, subject])).toEqual([['slowdown', `${COMPILE} in b`]]);
  });

  test('logs without times by function are compared by all native calls', () => {
    const old = (ms: number): NamedRun => {
      const cases = Array.from({ length: 30 }, (_, i) => ({
        name: `c${i}`,
        result: result('pass', { durationMs: ms + 1, nativeMs: ms }),
      }));
      return { name: 'run', run: foldRun([header(), ...suiteEvents('s', cases)]) };
    };
    const [change] = timeChanges(compareNoisy([old(10)], [old(30)]));
    expect(change).toMatchObject({ kind: 'slowdown', subject: 'all native calls' });
  });
});

import { expect, test } from 'vitest';
import type { Case } from '../../suite/types.ts';
import type { CaseContext } from './context.ts';
import { CheckFailure } from './outcome.ts';
import { runSample } from './run-sample.test-helper.ts';
import type { Probe } from './steps.ts';

/** Comes to its end when so many are there at once. */
function meeting(count: number, seen: (context: CaseContext) => void = () => {}): Probe {
  let open: () => void = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  let there = 0;
  return async (context) => {
    seen(context);
    if (++there === count) open();
    await all;
  };
}

test('lanes run at once, know their number and take the elements of a list in turn', async () => {
  const seen: unknown[] = [];
  const probe = meeting(3, (lane) => seen.push([lane.resolve('$n'), lane.resolve('$of')]));
  const context = await runSample(
    'steps: [{on-threads: {n: 3, of: [a, b]}, steps: [{probe: event-on-ready}, {expect: {actual: $n, atMost: 3}}]}]',
    { 'event-on-ready': probe },
  );
  expect(seen).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'a'],
  ]);
  expect(() => context.resolve('$n')).toThrow(/not bound/);
});

test('every step may be a lane, and the number of a lane a seed', async () => {
  await runSample(
    `steps:
  - data: {as: second, data: {hash: {dtype: f32, shape: [8], seed: 2}}}
  - on-threads: each
    steps:
      - probe: event-on-ready
      - on-threads: {n: 2}
        steps: [{probe: event-on-ready}]
  - on-threads: {n: [2]}
    steps:
      - data: {as: own, data: {hash: {dtype: f32, shape: [8], seed: $n}}}
      - expect: {actual: $own, equals: $second}`,
    { 'event-on-ready': meeting(3) },
  );
});

test('all lanes come to their end, and the failure names its lane and line', async () => {
  let ended = 0;
  let kept: CaseContext | undefined;
  const probe: Probe = async (context) => {
    await new Promise((resolve) => setImmediate(resolve));
    context.scope.defer(() => ended++);
  };
  const failed = runSample(
    `steps:
  - on-threads: {n: 3}
    steps:
      - expect: {actual: $n, not: 2}
      - probe: event-on-ready`,
    { 'event-on-ready': probe },
    (context) => {
      kept = context;
    },
  );
  const failure = await failed.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CheckFailure);
  expect(ended).toBe(2);
  kept!.report((failure as CheckFailure).finding);
  expect(kept!.findings[0]!.detail).toContain('in lane 2 of 3');
  const [block] = kept!.case.steps as Extract<Case['steps'][number], { verb: 'on-threads' }>[];
  expect(kept!.findings[0]!.line).toBe(block!.steps[0]!.line);
});

test('names of one lane are unknown in another', async () => {
  const body = `steps:
  - on-threads: each
    steps:
      - data: {as: x, data: {iota: {dtype: f32, shape: [1]}}}
      - expect: {actual: $x, equals: $x}`;
  await expect(runSample(body)).rejects.toThrow(/unknown reference \$x/);
});

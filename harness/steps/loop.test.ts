import { expect, test } from 'vitest';
import { Instrument } from '../pjrt/instrument.ts';
import { readSample, sampleCase } from '../suite/sample-suite.test-helper.ts';
import { CaseContext, type Seat } from './context.ts';
import { CheckFailure } from './outcome.ts';
import { runStep } from './steps.ts';

/** Runs the steps of a case that needs no plugin. */
async function run(body: string) {
  const { cases, errors } = readSample(sampleCase(body));
  expect(errors).toBe('');
  const seat = { plugin: { api: { live: new Set() } } } as unknown as Seat;
  const context = new CaseContext(cases[0]!, [seat], new Instrument());
  for (const step of cases[0]!.steps) await runStep(context, step, {});
  return context;
}

test('a loop collects one value an iteration, and its names end with it', async () => {
  const context = await run(
    `steps:
  - for-each: {n: [3, 1, 2, 1]}
    except: [1]
    steps:
      - expect: {actual: $n, atLeast: 2}
    collect: {kept: $n}
  - for-each: {list: [[1, 2], [3]]}
    steps:
      - repeat: 2
        steps: [{expect: {actual: $list, nonEmpty: true}}]
        gather: {twice: $list}
      - expect: {actual: $twice, length: 4}
        level: must
    gather: {flat: $list}
  - expect: {actual: $kept, equals: [3, 2]}
  - expect: {actual: $flat, equals: [1, 2, 3]}`
      .replace('\n        level: must', '')
      .replace('length: 4', 'nonEmpty: true'),
  );
  expect(() => context.resolve('$n')).toThrow(/not bound/);
});

test('an iteration contributes several values as one list, and a parameter may choose among them', async () => {
  await run(`rows:
  - {which: first, at: 0, wanted: [3, 9]}
unnamed: [at, wanted]
steps:
  - for-each: {n: [3, 4]}
    steps:
      - for-each: {m: [9]}
        steps: [{expect: {actual: $m, equals: 9}}]
        collect: {others: $m}
    collect: {pairs: [$n, "$others[0]"]}
  - expect: {actual: "$pairs[\${at}]", equals: $wanted}`);
});

test('a failure says in which iterations it was', async () => {
  const failure = await run(`steps:
  - for-each: {n: [1, 2]}
    steps:
      - repeat: 3
        steps: [{expect: {actual: $n, atMost: 1}}]`).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CheckFailure);
});

import { expect, test } from 'vitest';
import { readSample, sampleCase } from '../../suite/sample-suite.test-helper.ts';
import { Instrument } from '../pjrt/instrument.ts';
import { CaseContext, type Subject } from './context.ts';
import { CheckFailure } from './outcome.ts';
import { type Probe, runStep } from './steps.ts';

/** A case that needs no plugin, ready to run. */
function ready(body: string, probes: Readonly<Record<string, Probe>> = {}) {
  const { cases, errors } = readSample(sampleCase(body).replace('[BUF-HOST-002]', '[BUF-HOST-002, CLI-LKP-002]'));
  expect(errors).toBe('');
  const subject = { plugin: { api: { live: new Set() } } } as unknown as Subject;
  const context = new CaseContext(cases[0]!, [subject], new Instrument());
  const run = async (): Promise<void> => {
    for (const step of cases[0]!.steps) await runStep(context, step, async (name) => probes[name]);
  };
  return { context, run };
}

test('a loop collects one value an iteration, and its names end with it', async () => {
  const { context, run } = ready(`steps:
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
      - expect: {actual: $twice, nonEmpty: true}
    gather: {flat: $list}
  - expect: {actual: $kept, equals: [3, 2]}
  - expect: {actual: $flat, equals: [1, 2, 3]}`);
  await run();
  expect(() => context.resolve('$n')).toThrow(/not bound/);
});

test('an iteration contributes several values as one list, and a parameter may choose among them', async () => {
  const { run } = ready(`rows:
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
  await run();
});

test('a failure says in which iterations it was, and what it breaks', async () => {
  const { context, run } = ready(`steps:
  - for-each: {n: [1, 2]}
    breaks: [CLI-LKP-002]
    steps:
      - repeat: 3
        steps: [{expect: {actual: $n, atMost: 1}}]`);
  const failure = await run().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CheckFailure);
  context.report((failure as CheckFailure).finding);
  expect(context.findings[0]).toMatchObject({
    requirements: ['CLI-LKP-002'],
    detail: expect.stringMatching(/with \$n = element 1 of 2.*time 1 of 3/s),
  });
});

test('an error of destroying what an iteration made stops neither the loop nor the rest of the cleanup', async () => {
  let destroyed = 0;
  const probe: Probe = ({ scope }) => {
    scope.defer(() => destroyed++);
    scope.defer(() => {
      throw new Error('not destroyed');
    });
  };
  const { context, run } = ready('steps: [{repeat: 3, steps: [{probe: event-on-ready}]}]', { 'event-on-ready': probe });
  const errors: unknown[] = [];
  context.onCleanupError = (error) => errors.push(error);
  await run();
  expect([destroyed, errors.length]).toEqual([3, 3]);
});

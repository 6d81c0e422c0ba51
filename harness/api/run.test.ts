import { expect, test } from 'vitest';
import { CALLERS } from '../knowledge/abi/caller.ts';
import { runOptions } from './run.ts';
import { list } from './suite-questions.ts';

test('a request gives the same options as the equivalent command line', () => {
  expect(
    runOptions({
      plugin: 'a.so',
      options: { devices: 2, big: 2n ** 40n, on: true, name: '7', 'fraction:float': 1, list: [1, 2] },
      asApi: '0.67',
      shard: { index: 1, count: 4 },
      exclusive: true,
      waitDevice: 500,
      deadlines: { clientCreate: 1000, call: 2000 },
      tests: ['load/*'],
      strict: true,
      signal: new AbortController().signal,
      onEvent: () => {},
    }),
  ).toEqual({
    plugin: ['a.so'],
    option: ['devices=2', 'big=1099511627776', 'on=true', 'name:string=7', 'fraction:float=1', 'list=[1,2]'],
    asApi: { minor: 67 },
    shard: '1/4',
    exclusive: true,
    waitDevice: 500,
    timeoutClient: 1000,
    timeoutCall: 2000,
    tests: ['load/*'],
    strict: true,
    fetch: true,
    binding: 'now',
    github: false,
  });
});

test.each([
  [{ plugin: 'a.so', test: ['x'] }, 'run: there is no test; did you mean "tests"?'],
  [{ plugin: 'a.so', zzzzzz: 1 }, 'run: there is no zzzzzz'],
  [{}, 'run: expected plugin: a path, a known name or a manifest'],
  [{ plugin: [] }, 'run: expected plugin: a path, a known name or a manifest'],
  [{ plugin: 'a.so', waitDevice: -1 }, 'waitDevice: -1; expected milliseconds, 0 or more'],
  [{ plugin: 'a.so', asApi: '9' }, `run: asApi "9": it must be ${CALLERS}`],
])('%j is rejected', (request, message) => {
  expect(() => runOptions(request as Parameters<typeof runOptions>[0])).toThrow(message);
});

test('a shard can be left to the scheduler', async () => {
  expect(runOptions({ plugin: 'a.so', shard: 'auto' }).shard).toBe('auto');
  const env = {
    SLURM_ARRAY_TASK_ID: '1',
    SLURM_ARRAY_TASK_MIN: '0',
    SLURM_ARRAY_TASK_MAX: '1',
    SLURM_ARRAY_TASK_COUNT: '2',
  };
  const [auto, second, whole] = await Promise.all([
    list({ suite: ['load'], shard: 'auto', env }),
    list({ suite: ['load'], shard: { index: 2, count: 2 } }),
    list({ suite: ['load'] }),
  ]);
  expect(auto).toEqual(second);
  expect(auto.length).toBeLessThan(whole.length);
  await expect(list({ shard: 'auto', env: {} })).rejects.toThrow('--shard auto: no scheduler gives this task a shard');
});

import { expect, test } from 'vitest';
import { runOptions } from './run.ts';

test('a request gives the same options as the equivalent command line', () => {
  expect(
    runOptions({
      plugin: 'a.so',
      options: { devices: 2, big: 2n ** 40n, on: true, name: '7', 'fraction:float': 1, list: [1, 2] },
      asApi: '0.67',
      shard: { index: 1, count: 4 },
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
  [{ plugin: 'a.so', asApi: '9' }, 'run: asApi "9": it must be 0.31 to 0.117, or newer'],
])('%j is rejected', (request, message) => {
  expect(() => runOptions(request as Parameters<typeof runOptions>[0])).toThrow(message);
});

import { expect, test } from 'vitest';
import { type Event, isOfWorker } from './events.ts';
import { result, suiteEvents } from './sample-log.test-helper.ts';

test('what a newer version tells of a suite by the name of a worker makes it no event of one', () => {
  const [suite, start] = suiteEvents('a', [{ name: 'b', result: result('pass') }]) as [Event, Event];
  expect([suite.type, start.type]).toEqual(['suite', 'start']);
  expect([isOfWorker({ ...suite, worker: 'one', atMs: '~' } as unknown as Event), isOfWorker(start)]).toEqual([
    false,
    true,
  ]);
});

import { expect, test } from 'vitest';
import { type Event, isOfWorker } from './events.ts';
import { result, suiteEvents } from './sample-log.test-helper.ts';

test('a property `worker` in an unknown event does not make it an event of a worker', () => {
  const [suite, start] = suiteEvents('a', [{ name: 'b', result: result('pass') }]) as [Event, Event];
  expect([suite.type, start.type]).toEqual(['suite', 'start']);
  expect([isOfWorker({ ...suite, worker: 'one', atMs: '~' } as unknown as Event), isOfWorker(start)]).toEqual([
    false,
    true,
  ]);
});

import { duplexPair } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../host/store/memory-store.ts';
import { StoreError } from '../../../host/store/store.ts';
import type { Answered, Asked } from './store-frames.ts';
import { StoreService } from './store-service.ts';
import { STORE_MESSAGE, type Trouble } from './trouble.ts';

/** A node of a service, as its threads talk to it. */
function nodeOf(trouble: Trouble, store = new MemoryStore()) {
  const service = new StoreService(store, trouble);
  const [mine, theirs] = duplexPair();
  service.serve(3, theirs);
  const waiting = new Map<number, (answer: Answered) => void>();
  mine.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      const end = at + 4 + chunk.readUInt32LE(at);
      const answer = deserialize(chunk.subarray(at + 4, end)) as Answered;
      waiting.get(answer.id)!(answer);
      at = end;
    }
  });
  let next = 0;
  const ask = (asked: Omit<Asked, 'id'>): Promise<Answered> => {
    const body = serialize({ ...asked, id: next });
    const head = Buffer.alloc(4);
    head.writeUInt32LE(body.length);
    // In two pieces: a frame need not come at once.
    mine.write(Buffer.concat([head, body.subarray(0, 5)]));
    mine.write(body.subarray(5));
    return new Promise((resolve) => waiting.set(next++, resolve));
  };
  return { service, ask };
}

const value = Uint8Array.from([1, 2, 3, 4]);

test('a get that waits is answered by a later put', async () => {
  const { ask, service } = nodeOf({});
  const waiting = ask({ question: 'get', key: 'k', timeoutMs: 60_000 });
  expect(await ask({ question: 'try', key: 'k' })).toMatchObject({ code: 'NOT_FOUND' });
  await ask({ question: 'put', key: 'k', value });
  expect(await waiting).toMatchObject({ value });
  expect(service.calls.map(({ node, question, code }) => [node, question, code])).toEqual([
    [3, 'get', undefined],
    [3, 'try', 'NOT_FOUND'],
    [3, 'put', undefined],
  ]);
});

test.each<[string, Trouble, object]>([
  ['fails to read', { failing: ['get', 'try'] }, { code: 'UNAVAILABLE', message: STORE_MESSAGE }],
  ['forgets', { forgets: true, patience: 20 }, { code: 'DEADLINE_EXCEEDED' }],
  ['goes away', { answers: 1 }, { code: 'UNAVAILABLE', message: STORE_MESSAGE }],
  ['truncates', { values: 'truncated' }, { value: value.slice(0, 2) }],
  ['inverts', { values: 'inverted' }, { value: value.map((byte) => ~byte) }],
  ['empties', { values: 'empty' }, { value: new Uint8Array() }],
  ['is slow', { slow: 10 }, { value }],
])('a store that %s', async (_, trouble, answer) => {
  const { ask } = nodeOf(trouble);
  await ask({ question: 'put', key: 'k', value });
  expect(await ask({ question: 'get', key: 'k', timeoutMs: 60_000 })).toMatchObject(answer);
});

test('a store that takes each key once', async () => {
  const { ask } = nodeOf({ once: true });
  expect(await ask({ question: 'put', key: 'k', value })).not.toHaveProperty('code');
  expect(await ask({ question: 'put', key: 'k', value })).toMatchObject({ code: 'ALREADY_EXISTS' });
});

test('a failure of the store itself is kept', async () => {
  const { ask, service } = nodeOf({ failing: ['get'] });
  await ask({ question: 'get', key: 'k', timeoutMs: 1 });
  expect(service.failure).toBeUndefined();
  const violated = new MemoryStore();
  violated.read = () => Promise.reject(new StoreError('UNAVAILABLE', 'the connection was closed'));
  const other = nodeOf({}, violated);
  expect(await other.ask({ question: 'try', key: 'k' })).toMatchObject({ code: 'UNAVAILABLE' });
  expect(other.service.failure?.message).toBe('the connection was closed');
});

test('the end of the service is the end of those that wait', async () => {
  const { ask, service } = nodeOf({});
  const waiting = ask({ question: 'get', key: 'k', timeoutMs: 600_000 });
  expect(service.quietMs(4)).toBeUndefined();
  await ask({ question: 'try', key: 'k' });
  expect(service.quietMs(3)).toBe(0);
  service.leave();
  expect(await waiting).toMatchObject({ code: 'UNAVAILABLE' });
});

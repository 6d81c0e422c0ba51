import { expect, test } from 'vitest';
import { MemoryStore } from '../../../host/store/memory-store.ts';
import { meet } from './meeting.ts';

const text = (value: string): Uint8Array => Uint8Array.from(Buffer.from(value));

test('all harnesses get the same name, and another one the next time', async () => {
  const store = new MemoryStore();
  const all = () => Promise.all([0, 1, 2].map((node) => meet(store, node, 3, 60_000)));
  const [first, second] = [await all(), await all()];
  expect(new Set(first).size).toBe(1);
  expect(new Set(second).size).toBe(1);
  expect(second[0]).not.toBe(first[0]);
});

test('what a killed run has left does not count', async () => {
  const store = new MemoryStore();
  await store.write('join/1', text('of-a-killed-run'));
  const first = meet(store, 0, 2, 60_000);
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(await Promise.all([first, meet(store, 1, 2, 60_000)])).toEqual([await first, await first]);
});

test('the node that did not come is named', async () => {
  await expect(meet(new MemoryStore(), 0, 2, 100)).rejects.toThrow('the harness of node 1 of 2 did not begin');
});

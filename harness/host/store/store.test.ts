import { describe, expect, test } from 'vitest';
import { MemoryStore } from './memory-store.ts';
import { PartOfStore } from './part-of-store.ts';
import { waitFor } from './store.ts';
import { parseStoreUrl } from './store-url.ts';

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

describe('waitFor', () => {
  test('returns a value that comes later', async () => {
    const store = new MemoryStore();
    const waiting = waitFor(store, 'k', 60_000);
    await store.write('k', bytes('v'));
    expect(await waiting).toEqual(bytes('v'));
  });
  test('ends with DEADLINE_EXCEEDED', async () => {
    await expect(waitFor(new MemoryStore(), 'k', 20)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });
  test('ends when the store is closed', async () => {
    const closing = new AbortController();
    const waiting = waitFor(new MemoryStore(), 'k', 60_000, closing.signal);
    closing.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

test('a part of a store takes away what it has written, and nothing else', async () => {
  const store = new MemoryStore();
  await store.write('a', bytes('1'));
  const part = new PartOfStore(store, 'job/');
  await part.write('a', bytes('2'));
  expect(await store.read('a')).toEqual(bytes('1'));
  expect(await store.read('job/a')).toEqual(bytes('2'));
  await part.close();
  expect(await store.read('job/a')).toBeUndefined();
  expect(await store.read('a')).toEqual(bytes('1'));
});

describe('store URLs', () => {
  test.each([
    ['redis://db', { kind: 'redis', tls: false, host: 'db', port: 6379, prefix: 'pjrt-conformance/' }],
    ['redis://me@db:1234/job', { kind: 'redis', tls: false, host: 'db', port: 1234, user: 'me', prefix: 'job/' }],
    ['etcds://[::1]/a/b/', { kind: 'etcd', tls: true, host: '[::1]', port: 2379, prefix: 'a/b/' }],
  ])('%s', (url, expected) => expect(parseStoreUrl(url)).toEqual(expected));
  test.each([
    ['db:6379', /scheme|not a URL/],
    ['http://db', /no store has the scheme http:/],
    ['redis:///name', /no host/],
    ['redis://db/name?x=1', /nothing may follow/],
  ])('%s is refused', (url, words) => expect(() => parseStoreUrl(url)).toThrow(words));
  test('a password is refused without being quoted', () => {
    expect(() => parseStoreUrl('redis://me:secret@db')).toThrow(/password(?!.*secret)/s);
  });
});

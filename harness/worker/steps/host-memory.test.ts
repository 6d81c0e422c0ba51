import { expect, test } from 'vitest';
import { Arena } from '../ffi/memory.ts';
import { checkUnchanged } from './held-memory.ts';
import { HostMemory } from './host-memory.ts';

const DATA = Uint8Array.of(1, 2, 3, 4);

test('host memory lies where it was asked for', () => {
  const host = new HostMemory(new Arena(), DATA, true, 3);
  expect(host.address % 64n).toBe(3n);
  expect([...host.bytes]).toEqual([...DATA]);
});

test('what the plugin wrote is noticed, before it is reused and afterwards', () => {
  const written = new HostMemory(new Arena(), DATA, true);
  written.bytes[2] = 9;
  expect(() => checkUnchanged(written.held)).toThrow(/wrote into host memory/);
  expect(() => written.reuse(true)).toThrow(/wrote into host memory/);

  const reused = new HostMemory(new Arena(), DATA, true);
  reused.reuse(true);
  checkUnchanged(reused.held);
  reused.reuse(true);
  reused.bytes[0] = 1;
  expect(() => checkUnchanged(reused.held)).toThrow(/wrote into host memory/);
});

test('memory that the plugin may write to is reused as it is', () => {
  const host = new HostMemory(new Arena(), DATA, true);
  host.bytes[2] = 9;
  host.reuse(false);
  checkUnchanged(host.held);
});

import { expect, test } from 'vitest';
import { Comeback, lostText } from './comeback.ts';
import type { Death } from './worker-process.ts';

const killed = { signal: 'SIGSEGV', exitCode: undefined } as unknown as Death;
const HOUR = 3_600_000;

test('after a death a client has twice the longest creation so far and ten seconds, once', () => {
  const comeback = new Comeback();
  comeback.returned(400);
  comeback.returned(300);
  comeback.cameBack();
  expect(comeback.limit(HOUR)).toBe(HOUR);
  comeback.died(1, 'a:b', killed);
  expect(comeback.limit(HOUR)).toBe(10_800);
  // What the user asked for is never exceeded.
  expect(comeback.limit(5000)).toBe(5000);
  expect(comeback.name()?.case).toBe('a:b');
  expect(comeback.limit(HOUR)).toBe(HOUR);
});

test('where there never was a client, none is lost; one that was created too fast to be seen counts', () => {
  const comeback = new Comeback();
  comeback.returned(50);
  comeback.died(1, undefined, killed);
  expect([comeback.limit(HOUR), comeback.lost]).toEqual([HOUR, undefined]);
  comeback.cameBack();
  comeback.died(2, undefined, killed);
  expect(comeback.limit(HOUR)).toBe(10_100);
});

test('the first death since the last client is the one that counts, and is named once', () => {
  const comeback = new Comeback();
  comeback.cameBack();
  comeback.died(1, 'a:b', killed);
  comeback.died(2, 'a:c', killed);
  expect(comeback.name()?.case).toBe('a:b');
  expect(comeback.name()).toBeUndefined();
  expect(comeback.lost?.worker).toBe(1);
  expect(comeback.cameBack()?.case).toBe('a:b');
  expect(comeback.lost).toBeUndefined();
  comeback.died(3, 'a:d', killed);
  // Nobody has missed a client.
  expect(comeback.cameBack()).toBeUndefined();
});

test('a reset is due after each death, and where a client was refused since', () => {
  const comeback = new Comeback();
  comeback.cameBack();
  comeback.refused();
  expect(comeback.resetDue).toBe(false);
  comeback.died(1, 'a:b', killed);
  expect(comeback.resetDue).toBe(true);
  comeback.wasReset();
  expect(comeback.resetDue).toBe(false);
  // After a reset the device may have to be set up again.
  expect(comeback.limit(HOUR)).toBe(HOUR);
  comeback.refused();
  expect(comeback.resetDue).toBe(true);
});

test('in words', () => {
  const end = 'the process died with SIGSEGV in PJRT_Event_Await';
  expect(lostText({ worker: 3, case: 'a:b', end })).toBe(`a:b, when ${end}`);
  expect(lostText({ worker: 3, end })).toBe(`the start of worker 3, when ${end}`);
});

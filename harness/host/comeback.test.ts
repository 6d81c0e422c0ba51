import { expect, test } from 'vitest';
import { Comeback, lostText } from './comeback.ts';
import { PHASE } from './wire/breadcrumb-layout.ts';
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

const creating = (more: Partial<Death> = {}): Death =>
  ({ ...killed, crumb: { phase: PHASE.call, call: 'PJRT_Client_Create' }, ...more }) as unknown as Death;

test('who dies creating a client after the death of another is explained by it, whichever was seen first', () => {
  const comeback = new Comeback();
  comeback.cameBack();
  // The first of all is its own doing.
  expect(comeback.explains(creating())).toBe(false);
  comeback.died(1, 'a:b', creating());
  const crashed = { status: 'crash', inFlight: 'PJRT_Client_Create' } as const;
  expect(comeback.explainsResult('a:b', crashed)).toBe(false);
  comeback.died(2, 'a:c', killed);
  comeback.died(3, 'a:d', killed);
  expect(comeback.lost?.case).toBe('a:c');
  expect(comeback.explainsResult('a:b', crashed)).toBe(true);
  expect(comeback.explainsResult('a:c', crashed)).toBe(false);
  expect(comeback.explainsResult('a:b', { status: 'crash', inFlight: 'PJRT_Buffer_Destroy' })).toBe(false);
  expect(comeback.explainsResult('a:b', { status: 'fail', inFlight: 'PJRT_Client_Create' })).toBe(false);
  expect(comeback.explains(creating())).toBe(true);
  expect(comeback.explains(killed)).toBe(false);
  const missed = { call: 'PJRT_Client_Create', deadline: 'clientCreate', limit: 1 } as unknown as Death['missed'];
  expect(comeback.explains(creating({ missed }))).toBe(true);
  comeback.cameBack();
  expect(comeback.explains(creating())).toBe(false);
});

test('what was named as the cause stays it', () => {
  const comeback = new Comeback();
  comeback.cameBack();
  comeback.died(1, 'a:b', creating());
  comeback.name();
  comeback.died(2, 'a:c', killed);
  expect(comeback.lost?.case).toBe('a:b');
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

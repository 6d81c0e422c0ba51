import { describe, expect, test } from 'vitest';
import { PHASE } from '../wire/breadcrumb-layout.ts';
import type { Crumb } from './breadcrumb-reader.ts';
import { Watchdog } from './watchdog.ts';

const deadlines = { call: 100, case: 1000, clientCreate: 5000, exit: 50 };
const crumb = (more: Partial<Crumb>): Crumb => ({
  caseNumber: 1,
  line: 3,
  call: 'PJRT_Buffer_Dimensions',
  phase: PHASE.call,
  calls: 7,
  pending: undefined,
  closed: false,
  exited: undefined,
  ...more,
});

describe('Watchdog', () => {
  test('a call may take its deadline and not longer', () => {
    const dog = new Watchdog(deadlines, 0);
    expect(dog.look(crumb({}), 10)).toBeUndefined();
    expect(dog.look(crumb({}), 110)).toBeUndefined();
    expect(dog.look(crumb({}), 111)).toBe('the deadline of 0.1 s for one native call passed');
  });

  test('another call begins anew', () => {
    const dog = new Watchdog(deadlines, 0);
    dog.look(crumb({}), 10);
    expect(dog.look(crumb({ calls: 8 }), 109)).toBeUndefined();
    expect(dog.look(crumb({ calls: 8 }), 205)).toBeUndefined();
  });

  test('creating a client has a deadline of its own, longer than that of the case', () => {
    const dog = new Watchdog(deadlines, 0);
    const slow = crumb({ call: 'PJRT_Client_Create' });
    expect(dog.look(slow, 1)).toBeUndefined();
    expect(dog.look(slow, 4000)).toBeUndefined();
    expect(dog.look(slow, 5002)).toBe('the deadline of 5 s for one native call passed');
  });

  test('a case that calls again and again still ends', () => {
    const dog = new Watchdog(deadlines, 0);
    for (let now = 0; now <= 1000; now += 50) expect(dog.look(crumb({ calls: now }), now)).toBeUndefined();
    expect(dog.look(crumb({ calls: 1 }), 1001)).toBe('the deadline of 1 s for one case passed');
  });

  test('an asynchronous call has the same deadline', () => {
    const dog = new Watchdog(deadlines, 0);
    const waiting = crumb({ phase: PHASE.harness, pending: 'PJRT_Event_Await' });
    expect(dog.look(waiting, 10)).toBeUndefined();
    expect(dog.look(waiting, 111)).toBe('the deadline of 0.1 s for one native call passed');
  });

  test('without a breadcrumb the case deadline holds', () => {
    expect(new Watchdog(deadlines, 0).look(undefined, 1001)).toContain('for one case');
  });
});

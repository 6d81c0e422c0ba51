import { describe, expect, test } from 'vitest';
import type { Crumb } from './breadcrumb-reader.ts';
import { Comeback } from './comeback.ts';
import { type Deadlines, missedText } from './deadlines.ts';
import { Leniency } from './leniency.ts';
import { Watchdog } from './watchdog.ts';
import { PHASE } from './wire/breadcrumb-layout.ts';

const deadlines = { load: 2000, clientCreate: 5000, first: 500, call: 100, case: 1000, exit: 50 };
const crumb = (more: Partial<Crumb>): Crumb => ({
  caseNumber: 1,
  line: 3,
  call: 'PJRT_Buffer_Dimensions',
  phase: PHASE.call,
  calls: 7,
  pending: undefined,
  inner: undefined,
  untried: [],
  closed: false,
  exited: undefined,
  wrong: false,
  refusals: false,
  damaged: false,
  ...more,
});

/** A watchdog that returns missed deadlines as text. */
function watchdog(limits: Deadlines = deadlines, leniency = new Leniency(() => {}), comeback = new Comeback()) {
  const dog = new Watchdog(limits, leniency, comeback, 0);
  return {
    check: (at: Crumb | undefined, now: number): string | undefined => {
      const missed = dog.check(at, now);
      return missed && missedText(missed);
    },
  };
}

describe('Watchdog', () => {
  test('a call may take its deadline and no longer', () => {
    const dog = watchdog();
    expect(dog.check(crumb({}), 10)).toBeUndefined();
    expect(dog.check(crumb({}), 110)).toBeUndefined();
    expect(dog.check(crumb({}), 111)).toBe('the deadline of 0.1 s for one native call passed');
  });

  test('the next call has its own deadline', () => {
    const dog = watchdog();
    dog.check(crumb({}), 10);
    expect(dog.check(crumb({ calls: 8 }), 109)).toBeUndefined();
    expect(dog.check(crumb({ calls: 8 }), 205)).toBeUndefined();
  });

  test('creating a client has a deadline of its own, longer than that of the case', () => {
    const dog = watchdog();
    const slow = crumb({ call: 'PJRT_Client_Create' });
    expect(dog.check(slow, 1)).toBeUndefined();
    expect(dog.check(slow, 4000)).toBeUndefined();
    expect(dog.check(slow, 5002)).toBe('the deadline of 5 s for one native call passed');
  });

  test('a case that calls again and again still ends', () => {
    const dog = watchdog();
    for (let now = 0; now <= 1000; now += 50) expect(dog.check(crumb({ calls: now }), now)).toBeUndefined();
    expect(dog.check(crumb({ calls: 1 }), 1001)).toBe('the deadline of 1 s for one case passed');
  });

  test('an asynchronous call has the same deadline', () => {
    const dog = watchdog();
    const waiting = crumb({ phase: PHASE.harness, pending: 'PJRT_Event_Await' });
    expect(dog.check(waiting, 10)).toBeUndefined();
    expect(dog.check(waiting, 111)).toBe('the deadline of 0.1 s for one native call passed');
  });

  test('without a breadcrumb the deadline of the case applies', () => {
    expect(watchdog().check(undefined, 1001)).toContain('for one case');
  });

  test('loading has a deadline of its own', () => {
    for (const call of ['dlopen', 'GetPjrtApi']) {
      const dog = watchdog();
      expect(dog.check(crumb({ call }), 1)).toBeUndefined();
      expect(dog.check(crumb({ call }), 2000)).toBeUndefined();
      expect(dog.check(crumb({ call }), 2002)).toBe('the deadline of 2 s for loading passed');
    }
  });

  describe('a plugin that initializes at its first call', () => {
    const compile = { call: 'PJRT_Client_Compile', untried: ['PJRT_Client_Compile'] };

    test('gets more time, which does not count for the case', () => {
      const dog = watchdog({ ...deadlines, first: 3000 });
      expect(dog.check(crumb(compile), 1)).toBeUndefined();
      expect(dog.check(crumb(compile), 3000)).toBeUndefined();
      expect(dog.check(crumb({ phase: PHASE.harness, calls: 8 }), 3010)).toBeUndefined();
      expect(dog.check(crumb({ phase: PHASE.harness, calls: 8 }), 3900)).toBeUndefined();
      expect(dog.check(crumb(compile), 3901)).toBeUndefined();
      expect(dog.check(crumb(compile), 6902)).toBe('the deadline of 3 s for the first call of a function passed');
    });

    test('does not if the function has succeeded in this process, or does not use the device', () => {
      for (const call of [
        { ...compile, untried: [] },
        { call: 'PJRT_Device_GetDescription', untried: ['x'] },
      ]) {
        const dog = watchdog();
        dog.check(crumb(call), 0);
        expect(dog.check(crumb(call), 101)).toBe('the deadline of 0.1 s for one native call passed');
      }
    });

    test('gets it once: in further processes the function is considered hanging', () => {
      const leniency = new Leniency(() => {});
      const first = watchdog(deadlines, leniency);
      first.check(crumb(compile), 0);
      expect(first.check(crumb(compile), 501)).toMatch(/0\.5 s for the first call/);
      const second = watchdog(deadlines, leniency);
      second.check(crumb(compile), 0);
      expect(second.check(crumb(compile), 101)).toMatch(/0\.1 s for one native call/);
    });
  });

  test('a slow plugin gets ten times the time of the slowest call that returned', () => {
    const leniency = new Leniency(() => {});
    const dog = watchdog(deadlines, leniency);
    dog.check(crumb({}), 0);
    dog.check(crumb({}), 90);
    dog.check(crumb({ calls: 8 }), 95);
    expect(leniency.atLeast).toBe(900);
    expect(dog.check(crumb({ calls: 8 }), 990)).toBeUndefined();
    expect(dog.check(crumb({ calls: 8 }), 996)).toBe('the deadline of 0.9 s for one native call passed');
  });

  test('a process that dies in a call, or a created client, does not count as slow', () => {
    const leniency = new Leniency(() => {});
    const dog = watchdog(deadlines, leniency);
    dog.check(crumb({ call: 'PJRT_Client_Create' }), 0);
    dog.check(crumb({ call: 'PJRT_Client_Create' }), 900);
    dog.check(crumb({ calls: 8 }), 901);
    dog.check(crumb({ calls: 8 }), 990);
    dog.check(undefined, 995);
    expect(leniency.atLeast).toBe(0);
  });

  test('a function that missed its deadline three times gets the long one once, with a note', () => {
    const said: string[] = [];
    const leniency = new Leniency((message) => said.push(message));
    const taken = [1, 2, 3, 4, 5].map(() => {
      const dog = watchdog(deadlines, leniency);
      for (let now = 0; ; now++) if (dog.check(crumb({}), now) !== undefined) return now;
    });
    expect(taken).toEqual([101, 101, 101, 501, 101]);
    expect(said).toEqual([
      'PJRT_Buffer_Dimensions missed its deadline 3 times; its next call gets 0.5 s, to find out whether it hangs or is slow',
      'PJRT_Buffer_Dimensions did not return within 0.5 s either: it hangs',
    ]);
  });
});

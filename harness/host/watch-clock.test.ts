import { expect, test } from 'vitest';
import { WatchClock } from './watch-clock.ts';

test('time that passed without a look does not count', () => {
  let time = 100;
  const clock = new WatchClock(() => time);
  const after = (ms: number): number => {
    time += ms;
    clock.tick();
    return clock.now;
  };
  expect([after(25), after(900), after(3_600_000), after(25)]).toEqual([125, 1025, 2025, 2050]);
  time += 10;
  expect(clock.now).toBe(2060);
});

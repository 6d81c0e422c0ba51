import { expect, test } from 'vitest';
import { Instrument } from './instrument.ts';

test('time is told by function, once, and only where there is some to tell of', () => {
  const instrument = new Instrument();
  const compile = instrument.time('PJRT_Client_Compile');
  compile.ms += 1.25;
  instrument.time('PJRT_Client_Compile').ms += 2;
  instrument.time('PJRT_Event_IsReady').ms += 0.001;
  expect(instrument.takeTimes()).toEqual({ PJRT_Client_Compile: 3.25 });
  expect(instrument.takeTimes()).toEqual({});
  compile.ms += 7.0004;
  expect(instrument.takeTimes()).toEqual({ PJRT_Client_Compile: 7 });
});

test('the time of other native calls counts by their name too', () => {
  const instrument = new Instrument();
  const until = performance.now() + 1;
  instrument.native('dlopen', () => {
    while (performance.now() < until);
  });
  expect(Object.keys(instrument.takeTimes())).toEqual(['dlopen']);
  expect(instrument.nativeMs).toBeGreaterThan(0.9);
});

import { expect, test } from 'vitest';
import { Instrument } from './instrument.ts';

test('time is reported by function, once, and only if there is any', () => {
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

test('the time of other native calls is reported by name too', () => {
  const instrument = new Instrument();
  instrument.native('dlopen', () => {
    const until = performance.now() + 1;
    while (performance.now() < until);
  });
  expect(Object.keys(instrument.takeTimes())).toEqual(['dlopen']);
  expect(instrument.nativeMs).toBeGreaterThan(0.9);
});

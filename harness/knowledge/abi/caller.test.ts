import { expect, test } from 'vitest';
import { NEWEST_MINOR, OLDEST_MINOR } from './abi.ts';
import { CALLERS, callerOf, callerText } from './caller.ts';

test.each(['0.31', '0.67', '0.117', 'newer'])('%s is read and written the same', (text) => {
  expect(callerText(callerOf(text)!)).toBe(text);
});

test('the major version may be left out', () => expect(callerOf('67')).toEqual({ minor: 67 }));

test.each(['0.30', '0.999', '1.5', 'new', ''])('%j is rejected', (text) => expect(callerOf(text)).toBeUndefined());

test('the choices in words', () => expect(CALLERS).toBe(`0.${OLDEST_MINOR} to 0.${NEWEST_MINOR}, or newer`));

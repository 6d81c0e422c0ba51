import { expect, test } from 'vitest';
import { callerText, parseCaller } from './caller.ts';

test.each(['0.31', '0.67', '0.114', 'newer'])('%s is read and written the same', (text) => {
  expect(callerText(parseCaller(text))).toBe(text);
});

test('the major version may be left out', () => expect(parseCaller('67')).toEqual({ minor: 67 }));

test.each(['0.30', '0.999', '1.5', 'new', ''])('%j is refused', (text) => {
  expect(() => parseCaller(text)).toThrow('It must be 0.31 to 0.114, or newer.');
});

import { expect, test } from 'vitest';
import { finalLine } from './final-line.ts';

test.each([
  ['one\ntwo\n', 'two'],
  [
    'W0000 setting up\nF0000 a.cc:405] Check failed: false\n*** Check failure stack trace: ***\n    @     0x7fac  f()\n    @ 0x7fad (unknown)\n',
    'F0000 a.cc:405] Check failed: false',
  ],
  ['terminate called\n#0 0x00 main\n', 'terminate called'],
  ['\n \n', undefined],
])('of %j are %j', (stderr, words) => {
  expect(finalLine(stderr)).toBe(words);
});

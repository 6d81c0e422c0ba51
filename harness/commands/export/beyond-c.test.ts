import { expect, test } from 'vitest';
import type { RecordedLine } from '../../model/call-recording.ts';
import { tooLong } from './beyond-c.ts';

test('only the calls of the case count: a program for people to read has at most 5000', () => {
  const call: RecordedLine = {
    k: 'call',
    n: 0,
    name: 'PJRT_Client_Devices',
    where: 'here',
    at: '0',
    bytes: '',
    written: [],
  };
  const before = Array.from({ length: 6000 }, () => call);
  const begin: RecordedLine = { k: 'case', edge: 'begin' };
  expect(tooLong([...before, begin, ...before.slice(0, 5000)])).toBeUndefined();
  expect(tooLong([begin, ...before])).toBe('it makes 6000 calls, more than 5000');
});

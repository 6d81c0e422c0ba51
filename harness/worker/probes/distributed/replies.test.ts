import { expect, test } from 'vitest';
import type { NodeReply } from './node-process.ts';
import { expectEnds, expectResults } from './replies.ts';

const refused = (codeName: string): NodeReply<null> => ({
  refused: { call: 'PJRT_Client_Create', code: 1, codeName, text: 'no' },
});
const late = (asking: boolean): NodeReply<null> => ({ late: 30_000, asking, call: 'PJRT_Client_Create' });
const died: NodeReply<null> = { died: 'died with SIGSEGV', call: 'PJRT_Client_Create' };
const value: NodeReply<null> = { value: null };

test.each<[string, NodeReply<null>[], RegExp]>([
  [
    'a death comes before what follows from it',
    [refused('DEADLINE_EXCEEDED'), died],
    /node 1 died with SIGSEGV in PJRT_Client_Create/,
  ],
  [
    'an error comes before the errors of those that waited',
    [refused('UNAVAILABLE'), refused('INVALID_ARGUMENT')],
    /INVALID_ARGUMENT: node 1: no/,
  ],
  [
    'a hang comes before those that wait for it',
    [late(true), late(false)],
    /node 1 has not returned from PJRT_Client_Create within 30 s/,
  ],
  ['a node that waits for nothing is one that hangs', [late(true), value], /node 0 has not returned/],
])('%s', (_, replies, words) => expect(() => expectResults(replies)).toThrow(words));

test('where nothing can come, a plugin may ask for longer than the case has time', () => {
  expect(() => expectEnds([late(true), refused('UNAVAILABLE')])).toThrow('asks the store for more than 30 s');
  expect(() => expectEnds([value, refused('UNAVAILABLE'), { absent: true }])).not.toThrow();
});

import { expect, test } from 'vitest';
import { AnswerReader, answerFrame, MAX_MESSAGE_BYTES, TOKEN_BYTES } from './frame.ts';
import { messageFault } from './message-check.ts';

const token = Buffer.from('0123456789abcdef');
const ready = { type: 'ready' };

/** What a reader says of bytes that arrive in pieces of a size. */
function heard(bytes: Buffer, size = bytes.length): unknown[] {
  const reader = new AnswerReader(token);
  const answers: unknown[] = [];
  for (let at = 0; at < bytes.length; at += size) answers.push(...reader.add(bytes.subarray(at, at + size)));
  return answers;
}

const frames = (...messages: unknown[]): Buffer =>
  Buffer.concat(messages.map((message, i) => answerFrame(token, i, i + 7, message)));

const withBody = (body: string): Buffer => {
  const frame = answerFrame(token, 0, 1, 0);
  frame.writeUInt32LE(body.length, TOKEN_BYTES + 8);
  return Buffer.concat([frame.subarray(0, frame.length - 1), Buffer.from(body)]);
};

test.each([1, 3, 28, 29, 1000])('answers arrive in pieces of %d bytes', (size) => {
  const messages = [ready, { type: 'fault', error: 'é\n' }, ready];
  expect(heard(frames(...messages), size)).toEqual(messages.map((message, i) => ({ question: i + 7, message })));
});

test('an answer that is cut off is none', () => {
  const bytes = frames(ready, ready);
  expect(heard(bytes.subarray(0, -1))).toHaveLength(1);
  expect(heard(bytes.subarray(0, 20))).toHaveLength(0);
});

test.each<[string, Buffer, RegExp]>([
  ['one wrong byte', Buffer.from('x'), /^bytes that do not begin as an answer$/],
  ['half a token', Buffer.from('01234567x'), /^bytes that do not begin as an answer$/],
  ['a token alone, then something else', Buffer.concat([token, Buffer.alloc(12, 0xff)]), /^answer 4294967295 after 0/],
  ['an answer twice', Buffer.concat([frames(ready), frames(ready)]), /^answer 0 after 1 answers$/],
  ['bytes between answers', Buffer.concat([frames(ready), Buffer.from('noise')]), /do not begin as an answer/],
  ['no JSON', withBody('{"type":'), /^an answer that is no JSON$/],
  ['an empty body', withBody(''), /^an answer that is no JSON$/],
  ['a million levels', withBody('['.repeat(1_000_000)), /^an answer with more than 64 levels$/],
])('%s', (_, bytes, what) => {
  expect(() => heard(bytes)).toThrow(what);
  expect(() => heard(bytes, 5)).toThrow(what);
});

test('a length beyond the limit is refused before anything of that length has come', () => {
  const head = answerFrame(token, 0, 1, ready).subarray(0, 28);
  head.writeUInt32LE(MAX_MESSAGE_BYTES + 1, TOKEN_BYTES + 8);
  expect(() => heard(head)).toThrow(`an answer of ${MAX_MESSAGE_BYTES + 1} bytes`);
});

test('brackets in texts are no levels', () => {
  const message = { type: 'fault', error: `\\"${'['.repeat(100)}\\` };
  expect(heard(frames(message))).toMatchObject([{ message }]);
});

const result = { status: 'pass', findings: [], durationMs: 1, nativeMs: 1, calls: 1 };

test.each<[unknown, string | undefined]>([
  [ready, undefined],
  [{ type: 'result', result }, undefined],
  [{ type: 'facts', plugin: 0, facts: { platformName: 'x' } }, undefined],
  [null, 'an answer of an unknown type'],
  [[], 'an answer of an unknown type'],
  [{ type: 'toString' }, 'an answer of an unknown type'],
  [{ type: '__proto__' }, 'an answer of an unknown type'],
  [{ type: 'setup' }, 'an answer of an unknown type'],
  [{ type: 'result' }, "an answer result whose form must have required property 'result'"],
  [
    { type: 'result', result: { ...result, status: 'fine' } },
    'an answer result whose result/status must be equal to one of the allowed values',
  ],
  [
    { type: 'result', result: { ...result, durationMs: '1' } },
    'an answer result whose result/durationMs must be number',
  ],
  // Name, path and hash are the parent's.
  [
    { type: 'facts', plugin: 0, facts: { sha256: '00' } },
    'an answer facts whose facts must NOT have additional properties',
  ],
  [{ type: 'facts', plugin: -1, facts: {} }, 'an answer facts whose plugin must be >= 0'],
  [
    { type: 'answers', answers: { PJRT_Client_Create: 'OK' } },
    'an answer answers whose answers/PJRT_Client_Create must be array',
  ],
])('%j is checked against the schema', (message, fault) => {
  expect(messageFault(message)).toBe(fault);
});

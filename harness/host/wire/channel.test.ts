import type { ChildProcess } from 'node:child_process';
import { Duplex, PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import { expect, test } from 'vitest';
import { Channel } from './channel.ts';
import { answerFrame, TOKEN_BYTES } from './frame.ts';

/** A channel to a worker that is two streams, and what its listener hears. */
function opened() {
  const written: Buffer[] = [];
  const questions = new Duplex({ read: () => {}, write: (chunk, _, done) => void done(void written.push(chunk)) });
  const answers = new PassThrough();
  const heard: unknown[] = [];
  const channel = new Channel({ stdio: [null, null, null, questions, answers] } as unknown as ChildProcess, {
    message: (message, question) => heard.push([question, message.type]),
    noise: (what) => heard.push(what),
    closed: () => heard.push('closed'),
  });
  const token = written[0]!.subarray(0, TOKEN_BYTES);
  const answer = (number: number, question: number, message: unknown) =>
    answers.write(answerFrame(token, number, question, message));
  return { channel, questions, answers, written, heard, answer };
}

test('questions are numbered, and an answer has the number of its question', async () => {
  const { channel, written, heard, answer } = opened();
  expect([channel.send({ type: 'prepare' }), channel.send({ type: 'check' })]).toEqual([1, 2]);
  expect(written[2]!.readUInt32LE(0)).toBe(2);
  expect(deserialize(written[2]!.subarray(8))).toEqual({ type: 'check' });
  answer(0, 1, { type: 'ready' });
  answer(1, 2, { type: 'checked', healthy: true });
  await turn();
  expect(heard).toEqual([
    [1, 'ready'],
    [2, 'checked'],
  ]);
});

test.each<[string, (by: ReturnType<typeof opened>) => unknown, string]>([
  ['other bytes', ({ answers }) => answers.write('x'), 'bytes that do not begin as an answer'],
  ['an answer of another form', ({ answer }) => answer(0, 1, { type: 'checked' }), expect.stringContaining('healthy')],
  [
    'a number twice',
    ({ answer }) => [answer(0, 1, { type: 'ready' }), answer(0, 1, { type: 'ready' })],
    'answer 0 after 1 answers',
  ],
  ['bytes where questions go', ({ questions }) => questions.push('x'), 'bytes on the descriptor from which it reads'],
  ['what its user refuses', ({ channel }) => channel.noise('an answer to nothing'), 'an answer to nothing'],
])('%s: noise, after which nothing is heard', async (_, make, what) => {
  const by = opened();
  make(by);
  await turn();
  by.answer(0, 1, { type: 'ready' });
  by.channel.noise('more');
  await turn();
  expect(by.heard.filter((item) => typeof item === 'string')).toEqual([what]);
  expect(by.heard.at(-1)).toEqual(what);
});

test('a cut answer before the end is not heard', async () => {
  const { answers, heard, written } = opened();
  answers.end(answerFrame(written[0]!, 0, 1, { type: 'ready' }).subarray(0, -1));
  await new Promise((resolve) => answers.once('close', resolve));
  expect(heard).toEqual(['closed']);
});

/**
 * What goes through the two pipes between a worker and its parent. A plugin lives in the worker, so nothing that arrives from
 * there is trusted: an answer has the token of its channel, numbers without a gap, and the question that it belongs to.
 */

/** The descriptors that a worker starts with: questions come in through the first, answers go out through the second. */
export const CHANNEL = { questions: 3, answers: 4 } as const;

/** Random bytes that begin every answer, sent to the worker before the first question. */
export const TOKEN_BYTES = 16;

/** More than any message of a worker has: texts of plugins are cut long before. */
export const MAX_MESSAGE_BYTES = 8 * 2 ** 20;

/** Levels of nesting; the deepest messages, of findings about arrays, have ten. */
const MAX_DEPTH = 64;

/** A question: its number and the length of the body, then the body. */
export const QUESTION_HEAD_BYTES = 8;

export function questionFrame(question: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(QUESTION_HEAD_BYTES);
  head.writeUInt32LE(question, 0);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** Token, number of the answer, number of the question, length of the body. */
const ANSWER_HEAD_BYTES = TOKEN_BYTES + 12;

/** An answer, as JSON: its parser takes any bytes. @param number how many answers the channel has had before */
export function answerFrame(token: Uint8Array, number: number, question: number, message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message), 'utf8');
  const head = Buffer.alloc(ANSWER_HEAD_BYTES);
  head.set(token);
  head.writeUInt32LE(number >>> 0, TOKEN_BYTES);
  head.writeUInt32LE(question, TOKEN_BYTES + 4);
  head.writeUInt32LE(body.length, TOKEN_BYTES + 8);
  return Buffer.concat([head, body]);
}

/** Bytes on the channel that are no answer; the message says what is wrong with them. */
export class ChannelNoise extends Error {
  override name = 'ChannelNoise';
}

/** An answer that has arrived whole. */
interface Answer {
  question: number;
  message: unknown;
}

/** Bytes that have arrived, in pieces, and are not used yet. */
export class Incoming {
  #chunks: Buffer[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The first bytes, which stay. @param length at most as many as there are */
  peek(length: number): Buffer {
    if ((this.#chunks[0]?.length ?? 0) < length) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]?.subarray(0, length) ?? Buffer.alloc(0);
  }

  /** The first bytes, which are used then. */
  take(length: number): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#bytes -= length;
    this.#chunks = this.#bytes > 0 ? [all.subarray(length)] : [];
    return all.subarray(0, length);
  }
}

/** Takes answers out of the bytes of a channel. An answer that is cut off at the end is never one. */
export class AnswerReader {
  readonly #token: Uint8Array;
  readonly #incoming = new Incoming();
  #number = 0;

  constructor(token: Uint8Array) {
    this.#token = token;
  }

  /** @returns the answers that are complete now @throws ChannelNoise */
  *add(chunk: Buffer): Generator<Answer, void, undefined> {
    const incoming = this.#incoming;
    incoming.add(chunk);
    for (;;) {
      // A few bytes are enough to see that they are noise: whoever waits for more of it would wait for ever.
      const head = incoming.peek(Math.min(incoming.bytes, ANSWER_HEAD_BYTES));
      if (!isStartOf(this.#token, head)) throw new ChannelNoise('bytes that do not begin as an answer');
      if (head.length < ANSWER_HEAD_BYTES) return;
      const number = head.readUInt32LE(TOKEN_BYTES);
      const length = head.readUInt32LE(TOKEN_BYTES + 8);
      if (number !== this.#number >>> 0) throw new ChannelNoise(`answer ${number} after ${this.#number} answers`);
      if (length > MAX_MESSAGE_BYTES) throw new ChannelNoise(`an answer of ${length} bytes`);
      if (incoming.bytes < ANSWER_HEAD_BYTES + length) return;
      this.#number++;
      const frame = incoming.take(ANSWER_HEAD_BYTES + length);
      const question = frame.readUInt32LE(TOKEN_BYTES + 4);
      yield { question, message: parsed(frame.subarray(ANSWER_HEAD_BYTES)) };
    }
  }
}

const isStartOf = (token: Uint8Array, head: Buffer): boolean => {
  const length = Math.min(token.length, head.length);
  return head.compare(token, 0, length, 0, length) === 0;
};

function parsed(body: Buffer): unknown {
  if (depthOf(body) > MAX_DEPTH) throw new ChannelNoise(`an answer with more than ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ChannelNoise('an answer that is no JSON');
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

/** How deep JSON is nested: whoever walks through it would use up the stack, or the memory. */
function depthOf(json: Buffer): number {
  let deepest = 0;
  let depth = 0;
  let inText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === BACKSLASH) i++;
    else if (byte === QUOTE) inText = !inText;
    else if (inText) continue;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) deepest = Math.max(deepest, ++depth);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return deepest;
}

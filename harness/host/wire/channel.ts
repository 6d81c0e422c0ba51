import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { serialize } from 'node:v8';
import { AnswerReader, CHANNEL, ChannelNoise, questionFrame, TOKEN_BYTES } from './frame.ts';
import { messageFault } from './message-check.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

/** The streams of a worker: it reads nothing from the terminal, both outputs are captured, and then come the pipes of the channel. */
export const WORKER_STDIO = ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] as const;

/** Who listens to a channel. */
interface Listener {
  /** @param question number of the question to which the message belongs, as `send` returned it */
  message(message: FromWorker, question: number): void;
  /** Something that is no message arrived; nothing that comes later is heard. @param what it is */
  noise(what: string): void;
  /** The worker has closed the channel, or is gone. */
  closed(): void;
}

/** The parent's side of the channel to a worker. */
export class Channel {
  readonly #questions: Duplex;
  readonly #answers: Duplex;
  readonly #listener: Listener;
  readonly #reader: AnswerReader;
  #asked = 0;
  #noisy = false;

  /** @param child a process with WORKER_STDIO */
  constructor(child: ChildProcess, listener: Listener) {
    this.#listener = listener;
    this.#questions = child.stdio[CHANNEL.questions] as Duplex;
    this.#answers = child.stdio[CHANNEL.answers] as Duplex;
    const token = randomBytes(TOKEN_BYTES);
    this.#reader = new AnswerReader(token);
    this.#questions.write(token);
    this.#answers.on('data', (chunk: Buffer) => this.#heard(chunk));
    this.#questions.on('data', () => this.noise('bytes on the descriptor from which it reads'));
    for (const stream of [this.#questions, this.#answers]) stream.on('error', () => {});
    this.#answers.once('close', () => listener.closed());
  }

  /** @returns the number of the question, which its answers have */
  send(message: ToWorker): number {
    if (this.#questions.writable) this.#questions.write(questionFrame(++this.#asked, serialize(message)));
    return this.#asked;
  }

  /** From here on nothing is heard. @param what has been heard that is no message */
  noise(what: string): void {
    if (this.#noisy) return;
    this.#noisy = true;
    this.#listener.noise(what);
  }

  close(): void {
    this.#questions.destroy();
    this.#answers.destroy();
  }

  #heard(chunk: Buffer): void {
    if (this.#noisy) return;
    try {
      for (const { question, message } of this.#reader.add(chunk)) {
        const fault = messageFault(message);
        if (fault !== undefined) throw new ChannelNoise(fault);
        this.#listener.message(message as FromWorker, question);
        if (this.#noisy) return;
      }
    } catch (error) {
      if (!(error instanceof ChannelNoise)) throw error;
      this.noise(error.message);
    }
  }
}

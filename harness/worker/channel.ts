import { closeSync, fstatSync, readdirSync, readlinkSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { deserialize } from 'node:v8';
import { answerFrame, CHANNEL, Incoming, QUESTION_HEAD_BYTES, TOKEN_BYTES } from '../host/wire/frame.ts';
import type { FromWorker, ToWorker } from '../host/wire/protocol.ts';
import { raised } from './ffi/libc.ts';

/**
 * The worker's side of the channel to its parent. Its descriptors are moved above 50 before a plugin is loaded: what writes
 * to one of the first numbers, such as one that it has closed, does not meet them, and no program that is started has them.
 */
export class Channel {
  readonly #questions = moved(CHANNEL.questions);
  readonly #answers = moved(CHANNEL.answers);
  /** What the process cannot do without: the pipes, and the descriptors of its event loop. */
  readonly #vital = [this.#questions, this.#answers, ...eventLoops()];
  readonly #before = this.#identity();
  #token: Buffer | undefined;
  #sent = 0;
  /** The question that is being answered. */
  #question = 0;
  readonly #incoming = new Incoming();

  /**
   * @param asked answers a question; the next one waits for it
   * @param ended the parent is gone
   */
  listen(asked: (message: ToWorker) => Promise<void>, ended: () => void): void {
    let queue = Promise.resolve();
    const socket = new Socket({ fd: this.#questions, readable: true, writable: false });
    socket.on('data', (chunk: Buffer) => {
      this.#incoming.add(chunk);
      for (let next = this.#next(); next; next = this.#next()) {
        const { question, message } = next;
        queue = queue.then(() => {
          this.#question = question;
          return asked(message);
        });
      }
    });
    socket.on('error', () => {});
    socket.once('close', ended);
  }

  /** Returns when the parent can read it, whatever becomes of this process; throws if the parent is gone. */
  send(message: FromWorker): void {
    const frame = answerFrame(this.#token!, this.#sent++, this.#question, message);
    for (let at = 0; at < frame.length; ) at += this.#written(frame.subarray(at));
  }

  /** Whether the plugin has left the descriptors alone that the process cannot do without. */
  get intact(): boolean {
    return this.#identity() === this.#before;
  }

  #written(bytes: Buffer): number {
    try {
      return writeSync(this.#answers, bytes);
    } catch (error) {
      // A plugin has made all descriptors non-blocking: the parent will have read some of it in a moment.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      return 0;
    }
  }

  #next(): { question: number; message: ToWorker } | undefined {
    const incoming = this.#incoming;
    if (this.#token === undefined) {
      if (incoming.bytes < TOKEN_BYTES) return undefined;
      this.#token = Buffer.from(incoming.take(TOKEN_BYTES));
    }
    if (incoming.bytes < QUESTION_HEAD_BYTES) return undefined;
    const head = incoming.peek(QUESTION_HEAD_BYTES);
    const [question, length] = [head.readUInt32LE(0), head.readUInt32LE(4)];
    if (incoming.bytes < QUESTION_HEAD_BYTES + length) return undefined;
    const frame = incoming.take(QUESTION_HEAD_BYTES + length);
    return { question, message: deserialize(frame.subarray(QUESTION_HEAD_BYTES)) };
  }

  #identity(): string {
    try {
      return this.#vital.map((fd) => fstatSync(fd).ino).join();
    } catch {
      return 'closed';
    }
  }
}

/** Of Linux; elsewhere none are known. */
function eventLoops(): number[] {
  if (process.platform !== 'linux') return [];
  const target = (fd: string): string => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // The one that lists them.
    }
  };
  return readdirSync('/proc/self/fd')
    .filter((fd) => target(fd) === 'anon_inode:[eventpoll]')
    .map(Number);
}

/** The same descriptor with a high number, if the limit of the process allows one. */
function moved(fd: number): number {
  const high = raised(fd);
  if (high !== fd) closeSync(fd);
  return high;
}

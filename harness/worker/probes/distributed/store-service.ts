import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Store, StoreError, waitFor } from '../../../host/store/store.ts';
import { type Answered, type Asked, readFrames, writeFrame } from './store-frames.ts';
import { damaged, type Question, STORE_MESSAGE, type Trouble } from './trouble.ts';

/** One question of a node. */
export interface StoreCall {
  node: number;
  question: Question;
  key: string;
  timeoutMs?: number;
  misuse?: string;
  /** Error code of the answer; undefined while there is none, and for a success. */
  code?: string;
}

/** Answers the questions of nodes from a store, with the trouble of a case. */
export class StoreService {
  readonly calls: StoreCall[] = [];
  /** What went wrong with the store itself, which is no trouble of the case. */
  failure: Error | undefined;
  /** Called before each answer, with its node. */
  onAnswer: (node: number) => void = () => {};
  readonly #store: Pick<Store, 'read' | 'write'>;
  readonly #trouble: Trouble;
  readonly #closing = new AbortController();
  readonly #put = new Set<string>();
  readonly #tried = new Set<string>();
  #answers = 0;
  /** Of each node: questions without an answer, and when the last one was answered. */
  readonly #asking = new Map<number, { open: number; lastAt: number }>();

  constructor(store: Store, trouble: Trouble) {
    const watched = <T>(answer: Promise<T>): Promise<T> =>
      answer.catch((error) => {
        this.failure ??= error;
        throw error;
      });
    this.#store = {
      read: (key) => watched(store.read(key)),
      write: (key, value) => watched(store.write(key, value)),
    };
    this.#trouble = trouble;
  }

  /** Milliseconds since the last answer to a node, 0 while it waits for one, undefined if it has never asked. */
  quietMs(node: number): number | undefined {
    const asking = this.#asking.get(node);
    if (!asking) return undefined;
    return asking.open > 0 ? 0 : performance.now() - asking.lastAt;
  }

  serve(node: number, stream: Duplex): void {
    stream.on('error', () => {});
    readFrames(stream, (asked) => {
      void this.#answer(node, asked).then((answer) => {
        if (!stream.destroyed) writeFrame(stream, answer);
      });
    });
  }

  /** Ends all that wait, with UNAVAILABLE. */
  leave(): void {
    this.#closing.abort();
  }

  async #answer(node: number, asked: Asked): Promise<Answered> {
    const { id, question, key, timeoutMs, misuse } = asked;
    const call: StoreCall = {
      node,
      question,
      key,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(misuse === undefined ? {} : { misuse }),
    };
    this.calls.push(call);
    const asking = this.#asking.get(node) ?? { open: 0, lastAt: 0 };
    this.#asking.set(node, asking);
    asking.open++;
    try {
      const value = await this.#result(asked);
      return { id, ...(value ? { value } : {}) };
    } catch (error) {
      const code = error instanceof StoreError ? error.code : 'INTERNAL';
      call.code = code;
      return { id, code, message: (error as Error).message };
    } finally {
      asking.open--;
      this.onAnswer(node);
      asking.lastAt = performance.now();
    }
  }

  async #result({ question, key, value, timeoutMs = 0 }: Asked): Promise<Uint8Array | undefined> {
    const { slow, failing, answers, patience, values } = this.#trouble;
    if (slow !== undefined) await sleep(slow);
    if (failing?.includes(question)) throw new StoreError('UNAVAILABLE', STORE_MESSAGE);
    if (answers !== undefined && this.#answers >= answers) this.leave();
    if (this.#closing.signal.aborted) throw new StoreError('UNAVAILABLE', STORE_MESSAGE);
    this.#answers++;
    if (question === 'put') return this.#take(key, value!);
    if (question === 'try') return damaged(await this.#find(key), values);
    const limit = Math.min(timeoutMs, patience ?? Infinity);
    return damaged(await waitFor(this.#store, key, limit, this.#closing.signal), values);
  }

  async #find(key: string): Promise<Uint8Array> {
    const hidden = this.#trouble.late && !this.#tried.has(key);
    this.#tried.add(key);
    const found = hidden ? undefined : await this.#store.read(key);
    if (!found) throw new StoreError('NOT_FOUND', 'no such key');
    return found;
  }

  async #take(key: string, value: Uint8Array): Promise<undefined> {
    const { once, forgets } = this.#trouble;
    if (once && this.#put.has(key)) throw new StoreError('ALREADY_EXISTS', 'the key is in the store already');
    this.#put.add(key);
    if (!forgets) await this.#store.write(key, value);
  }
}

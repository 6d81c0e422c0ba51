import { createClient, RESP_TYPES } from '@redis/client';
import { type Store, StoreError } from './store.ts';
import { placeOf, type StoreAddress } from './store-url.ts';

const ANSWER_MS = 10_000;
/** What a killed harness leaves is gone after a day. */
const LIFE_SECONDS = 86_400;

const connect = (address: StoreAddress, password: string | undefined) => {
  const { host, port, tls, user } = address;
  return createClient({
    socket: { host, port, ...(tls ? { tls: true as const } : {}), connectTimeout: ANSWER_MS, reconnectStrategy: false },
    username: user,
    password,
    disableOfflineQueue: true,
  }).withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
};

/** A Redis server. Its errors, a closed connection and a server that does not answer are UNAVAILABLE. */
export class RedisStore implements Store {
  readonly #client: ReturnType<typeof connect>;
  readonly #place: string;

  private constructor(client: ReturnType<typeof connect>, place: string) {
    this.#client = client;
    this.#place = place;
  }

  static async open(address: StoreAddress, password: string | undefined): Promise<RedisStore> {
    const client = connect(address, password);
    const store = new RedisStore(client, placeOf(address));
    // Each command that it affects fails on its own.
    client.on('error', () => {});
    await store.#answer(client.connect());
    return store;
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    const value = await this.#answer(this.#client.get(Buffer.from(key, 'latin1')));
    return value === null ? undefined : Uint8Array.from(value);
  }

  async write(key: string, value: Uint8Array): Promise<void> {
    const expiration = { type: 'EX', value: LIFE_SECONDS } as const;
    await this.#answer(this.#client.set(Buffer.from(key, 'latin1'), Buffer.from(value), { expiration }));
  }

  async remove(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#answer(this.#client.del(keys.map((key) => Buffer.from(key, 'latin1'))));
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async #answer<T>(command: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS);
    });
    try {
      return await Promise.race([command, silence]);
    } catch (error) {
      throw new StoreError('UNAVAILABLE', `${this.#place}: ${(error as Error).message}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

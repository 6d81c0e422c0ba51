import { type Store, StoreError } from './store.ts';
import { placeOf, type StoreAddress } from './store-url.ts';

const ANSWER_MS = 10_000;
/** What a killed harness leaves is gone after a day. */
const LIFE_SECONDS = 86_400;

const encoded = (bytes: Uint8Array | string): string =>
  (typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : Buffer.from(bytes)).toString('base64');

/**
 * A member of an etcd cluster, by the JSON form of its API (https://etcd.io/docs/latest/dev-guide/api_grpc_gateway/).
 * Its errors, a refused connection and a member that does not answer are UNAVAILABLE.
 */
export class EtcdStore implements Store {
  readonly #base: string;
  readonly #place: string;
  #token: string | undefined;
  #lease = '0';

  private constructor(address: StoreAddress) {
    this.#place = placeOf(address);
    this.#base = `${address.tls ? 'https' : 'http'}://${address.host}:${address.port}/v3`;
  }

  static async open(address: StoreAddress, password: string | undefined): Promise<EtcdStore> {
    const store = new EtcdStore(address);
    if (address.user !== undefined) {
      const { token } = await store.#ask('auth/authenticate', { name: address.user, password: password ?? '' });
      store.#token = String(token);
    }
    const { ID } = await store.#ask('lease/grant', { TTL: String(LIFE_SECONDS) });
    store.#lease = String(ID);
    return store;
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    const { kvs } = await this.#ask('kv/range', { key: encoded(key) });
    const [found] = (kvs ?? []) as { value?: string }[];
    return found && Uint8Array.from(Buffer.from(found.value ?? '', 'base64'));
  }

  async write(key: string, value: Uint8Array): Promise<void> {
    await this.#ask('kv/put', { key: encoded(key), value: encoded(value), lease: this.#lease });
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#ask('kv/deleterange', { key: encoded(key) });
  }

  /** The lease stays, as what other machines have yet to read belongs to it. */
  async close(): Promise<void> {}

  async #ask(path: string, body: object): Promise<Record<string, unknown>> {
    try {
      const response = await fetch(`${this.#base}/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: this.#token === undefined ? {} : { authorization: this.#token },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      if (!response.ok) throw new Error(String(answer.message ?? answer.error ?? response.statusText));
      return answer;
    } catch (error) {
      const { message, cause } = error as Error;
      throw new StoreError('UNAVAILABLE', `${this.#place}: ${cause instanceof Error ? cause.message : message}`);
    }
  }
}

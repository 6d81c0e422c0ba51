import { MemoryStore } from './memory-store.ts';
import { PartOfStore } from './part-of-store.ts';
import type { Store } from './store.ts';
import { PASSWORD_VARIABLE, parseStoreUrl } from './store-url.ts';

/**
 * Connects to a store.
 * @param url undefined: the built-in one
 * @returns the part of it under the prefix of the URL; to be closed
 * @throws StoreError, UsageError
 */
export async function openStore(url: string | undefined, env: NodeJS.ProcessEnv): Promise<Store> {
  if (url === undefined) return new MemoryStore();
  const address = parseStoreUrl(url);
  const password = env[PASSWORD_VARIABLE];
  // Few runs need one of them.
  const store =
    address.kind === 'redis'
      ? await (await import('./redis-store.ts')).RedisStore.open(address, password)
      : await (await import('./etcd-store.ts')).EtcdStore.open(address, password);
  const part = new PartOfStore(store, address.prefix);
  return {
    read: part.read,
    write: (key, value) => part.write(key, value),
    remove: (keys) => part.remove(keys),
    close: () => store.close(),
  };
}

import { UsageError } from '../../base/usage-error.ts';

/** Which store, where, and under which prefix the keys of this run are. */
export interface StoreAddress {
  kind: 'redis' | 'etcd';
  tls: boolean;
  host: string;
  port: number;
  user?: string;
  /** Ends with a slash. */
  prefix: string;
}

/** Stores by the schemes of their URLs. */
const SCHEMES: Readonly<Record<string, Pick<StoreAddress, 'kind' | 'tls'> & { port: number }>> = {
  'redis:': { kind: 'redis', tls: false, port: 6379 },
  'rediss:': { kind: 'redis', tls: true, port: 6379 },
  'etcd:': { kind: 'etcd', tls: false, port: 2379 },
  'etcds:': { kind: 'etcd', tls: true, port: 2379 },
};

const DEFAULT_PREFIX = 'pjrt-conformance';

/** The variable with the password: a log records options, so that URLs must not hold one. */
export const PASSWORD_VARIABLE = 'PJRT_CONFORMANCE_STORE_PASSWORD';

/** @throws UsageError for what is no URL of a store */
export function parseStoreUrl(text: string): StoreAddress {
  const fail = (problem: string): never => {
    throw new UsageError(
      `--store ${problem}\n  expected redis://HOST[:PORT][/NAME] or etcd://HOST[:PORT][/NAME]; rediss:// and etcds:// use TLS`,
      { options: ['store'] },
    );
  };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return fail(`${text}: not a URL`);
  // Not quoted: it holds the password.
  if (url.password !== '')
    return fail(`holds a password, which the log would show: give it in the variable ${PASSWORD_VARIABLE}`);
  const scheme = SCHEMES[url.protocol];
  if (!scheme) return fail(`${text}: no store has the scheme ${url.protocol}//`);
  if (url.hostname === '') return fail(`${text}: no host`);
  if (url.search !== '' || url.hash !== '') return fail(`${text}: nothing may follow the name`);
  const name = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    kind: scheme.kind,
    tls: scheme.tls,
    host: url.hostname,
    port: url.port === '' ? scheme.port : Number(url.port),
    ...(url.username === '' ? {} : { user: decodeURIComponent(url.username) }),
    prefix: `${name === '' ? DEFAULT_PREFIX : name}/`,
  };
}

/** `redis://host:1234`, for messages. */
export const placeOf = ({ kind, host, port }: StoreAddress): string => `${kind}://${host}:${port}`;

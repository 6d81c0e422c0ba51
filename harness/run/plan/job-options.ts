import type { CommandEnvironment } from '../../base/environment.ts';
import { UsageError } from '../../base/usage-error.ts';
import { openStore } from '../../host/store/open-store.ts';
import { StoreError } from '../../host/store/store.ts';
import { parseStoreUrl } from '../../host/store/store-url.ts';
import type { JobSettings } from '../../host/wire/protocol.ts';
import type { Positive } from '../../model/values.ts';
import type { Case } from '../../suite/types.ts';

/** Options about jobs of several processes, as the command line has them. */
export interface JobOptions {
  /** Number of processes of a job. */
  nodes?: Positive;
  /** `I/N`: this harness has node I of N, from 0; other harnesses have the others. */
  node?: string;
  /** URL of the key-value store of jobs. */
  store?: string;
}

const MOST_NODES = 64;
/** The tag of cases about jobs. */
const TAG = 'distributed';

/** What the options say about jobs; undefined if they say nothing. @throws UsageError */
export function jobOf({ nodes, node, store }: JobOptions): JobSettings | undefined {
  if (nodes === undefined && node === undefined && store === undefined) return undefined;
  if (store !== undefined) parseStoreUrl(store);
  const place = node === undefined ? undefined : placeOf(node);
  if (place && store === undefined)
    throw new UsageError('--node needs a store that all machines reach: --store redis://HOST or etcd://HOST', {
      options: ['node', 'store'],
    });
  if (place && nodes !== undefined && nodes !== place.nodes)
    throw new UsageError(`--node ${node} says ${place.nodes} nodes, --nodes says ${nodes}: leave out --nodes`, {
      options: ['node', 'nodes'],
    });
  const count = place?.nodes ?? nodes ?? 2;
  if (count < 2 || count > MOST_NODES)
    throw new UsageError(`--nodes ${count}: a job has 2 to ${MOST_NODES} processes`, { options: ['nodes'] });
  return { nodes: count, node: place?.node, store };
}

function placeOf(text: string): { node: number; nodes: number } {
  const [, index, count] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (index === undefined || Number(index) >= Number(count))
    throw new UsageError(`--node ${text}: expected I/N, this node and their number, from 0/N to N-1/N`, {
      options: ['node'],
    });
  return { node: Number(index), nodes: Number(count) };
}

/**
 * Checks what can be known before the first case: that the store answers, and that machines which run cases together run
 * nothing else, so that none waits for another.
 * @throws UsageError
 */
export async function checkJobs(
  options: JobOptions,
  cases: readonly Case[],
  { env }: Pick<CommandEnvironment, 'env'>,
): Promise<void> {
  const job = jobOf(options);
  if (job?.node !== undefined && cases.some(({ tags }) => !tags.includes(TAG)))
    throw new UsageError(`--node: all machines run the cases about jobs, and no others: add --tag ${TAG}`, {
      options: ['node', 'tag'],
    });
  if (job?.store === undefined || !cases.some(({ tags }) => tags.includes(TAG))) return;
  try {
    await (await openStore(job.store, env)).close();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new UsageError(`--store: ${error.message}`, { options: ['store'] });
  }
}

/** These options on a command line. */
export const jobWords = ({ nodes, node, store }: JobOptions): string[] => [
  ...(nodes === undefined ? [] : ['--nodes', String(nodes)]),
  ...(node === undefined ? [] : ['--node', node]),
  ...(store === undefined ? [] : ['--store', store]),
];

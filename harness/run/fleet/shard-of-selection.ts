import { UsageError } from '../../base/usage-error.ts';
import type { Event } from '../../model/events.ts';
import { selectionDigest } from '../../model/selection-digest.ts';
import { partition } from './partition.ts';
import type { Durations } from './read-durations.ts';
import { parseShard } from './shard.ts';

/** A shard, and what it must have in common with the others: the selection, and the file that balances them. */
export type ShardOfSelection = NonNullable<Extract<Event, { type: 'header' }>['shard']>;

/**
 * The cases of one shard, in their original order.
 * @param cases the whole selection
 * @throws SuiteError, UsageError
 */
export async function shardOfSelection<T extends { id: string }>(
  cases: readonly T[],
  options: { shard?: string; durations?: string },
  cwd: string,
): Promise<{ cases: T[]; shard?: ShardOfSelection }> {
  if (options.shard === undefined) {
    if (options.durations === undefined) return { cases: [...cases] };
    throw new UsageError('--durations: it balances shards, and there is no --shard', { options: ['durations'] });
  }
  const { index, count } = parseShard(options.shard);
  const ids = cases.map(({ id }) => id);
  const durations = options.durations === undefined ? undefined : await durationsIn(options.durations, cwd);
  const shards = partition(ids, count, durations?.cases);
  const mine = cases.filter(({ id }) => shards.get(id) === index);
  if (mine.length === 0) {
    throw new UsageError(
      `--shard ${index}/${count}: this shard has none of the ${cases.length} selected cases; use fewer shards`,
      { options: ['shard'] },
    );
  }
  const selection = { cases: cases.length, sha256: selectionDigest(ids) };
  return {
    cases: mine,
    shard: {
      index,
      count,
      selection,
      ...(durations ? { durations: { file: durations.file, sha256: durations.sha256 } } : {}),
    },
  };
}

/** Loads the reader only where there is a file. */
async function durationsIn(file: string, cwd: string): Promise<Durations> {
  const { readDurations } = await import('./read-durations.ts');
  return readDurations(file, cwd);
}

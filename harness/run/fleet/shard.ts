import { fileProblem, SuiteError } from '../../suite/problem.ts';

/** Part `index` (from 1) of `count`. */
export interface Shard {
  index: number;
  count: number;
}

/** Parses `2/5`. @throws SuiteError */
export function parseShard(text: string): Shard {
  const match = /^([0-9]{1,6})\/([0-9]{1,6})$/.exec(text.trim());
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || index < 1 || index > count) {
    const said = { expected: 'i/n with 1 <= i <= n, e.g. 2/5, or auto', got: JSON.stringify(text) };
    throw new SuiteError([fileProblem('--shard', 'not a shard', { option: 'shard', ...said })]);
  }
  return { index, count };
}

/** As `parseShard` reads it. */
export const shardText = ({ index, count }: Shard): string => `${index}/${count}`;

/** Directory of a shard, below the one that all shards of a run share. */
export const shardDirectory = ({ index, count }: Shard): string => `shard-${index}-of-${count}`;

/** Whether a directory may be one of {@link shardDirectory}. */
export const isShardDirectory = (name: string): boolean => /^shard-\d{1,6}-of-\d{1,6}$/.test(name);

import { counted } from '../../base/counted.ts';
import { tableOf } from './columns.ts';
import type { DiffedTrace, TraceDiff } from './diff.ts';

/** What `trace diff` prints. @param names of the traces, as they were given */
export function formatDiff({ first, second, calls, traits }: TraceDiff, names: readonly [string, string]): string {
  const lines = [`first   ${headOf(first, names[0])}`, `second  ${headOf(second, names[1])}`];
  const own = calls.filter((one) => one.second === 0);
  const other = calls.filter((one) => one.first === 0);
  const both = calls.filter((one) => one.first > 0 && one.second > 0);
  if (own.length > 0) lines.push('', 'only the first calls', ...own.map((one) => `  ${one.function}  ${one.first}`));
  if (other.length > 0)
    lines.push('', 'only the second calls', ...other.map((one) => `  ${one.function}  ${one.second}`));
  if (both.length > 0) {
    const executed = first.executions > 0 && second.executions > 0 ? ['an execution', ''] : [];
    const row = (one: (typeof both)[number]): string[] => [
      one.function,
      String(one.first),
      String(one.second),
      ...(executed.length > 0 ? [perExecution(one.first, first), perExecution(one.second, second)] : []),
    ];
    const far = (one: (typeof both)[number]): number => Math.abs(one.first - one.second);
    const rows = [...both].sort((a, b) => far(b) - far(a)).map(row);
    lines.push('', ...tableOf([['other numbers of calls', 'first', 'second', ...executed], ...rows]));
  }
  for (const trait of new Set(traits.map((one) => one.trait))) {
    lines.push('', `${trait}s`);
    const own = traits.filter((one) => one.trait === trait);
    const named = own.filter(({ where }) => !NUMBERED.test(where));
    for (const { where, first: a, second: b } of named) lines.push(`  ${where}: ${listOf(a)} → ${listOf(b)}`);
    if (own.length > named.length)
      lines.push(`  ${counted(own.length - named.length, 'field')} without a known name: --format json has them`);
  }
  if (calls.length + traits.length === 0) lines.push('', 'no difference in what is called');
  return `${lines.join('\n')}\n`;
}

/** A field of compile options that is called by its number. */
const NUMBERED = /\.\d+$/;

const headOf = ({ plugins, calls, executions }: DiffedTrace, name: string): string =>
  `${name}: ${counted(calls, 'call')}, ${counted(executions, 'execution')}, of ${plugins.join('; ') || 'no plugin'}`;

const perExecution = (calls: number, { executions }: DiffedTrace): string => (calls / executions).toFixed(1);

const listOf = (values: readonly string[]): string => values.join(' | ') || 'none';

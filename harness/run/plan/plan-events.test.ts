import { expect, test } from 'vitest';
import type { ResolvedPlugin } from '../../model/plugin.ts';
import type { LoadedSuite } from '../../suite/load.ts';
import { planNotes } from './plan-events.ts';

const plugin = {
  name: 'foo',
  manifest: { deviations: [{ cases: 'errors/codes:*', reason: 'r', requirement: 'ERR-1' }] },
  options: {},
  env: {},
  warnings: [],
} as unknown as ResolvedPlugin;
const suites = [{ id: 'mine', cases: [{ id: 'mine:a' }] }] as unknown as LoadedSuite[];

const messages = (options: Parameters<typeof planNotes>[0]): string[] =>
  [...planNotes(options, [plugin], suites)].flatMap((event) => (event.type === 'note' ? event.message : []));

test('a known deviation without a case is named, unless other suites were not loaded', () => {
  expect(messages({})).toEqual(['the known deviation errors/codes:* of foo matches no case']);
  expect(messages({ suite: ['mine'] })).toEqual([]);
});

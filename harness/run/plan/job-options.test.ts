import { describe, expect, test } from 'vitest';
import type { Case } from '../../suite/types.ts';
import { checkJobs, jobOf, jobWords } from './job-options.ts';

describe('jobOf', () => {
  test.each([
    [{}, undefined],
    [{ nodes: 4 }, { nodes: 4 }],
    [{ store: 'redis://db/x' }, { nodes: 2, store: 'redis://db/x' }],
    [
      { node: '1/3', store: 'etcd://db' },
      { nodes: 3, node: 1, store: 'etcd://db' },
    ],
  ])('%j', (options, settings) => expect(jobOf(options)).toEqual(settings));
  test.each([
    [{ nodes: 1 }, /2 to 64/],
    [{ node: '2/2', store: 'etcd://db' }, /from 0\/N to N-1\/N/],
    [{ node: 'first', store: 'etcd://db' }, /expected I\/N/],
    [{ node: '0/2' }, /needs a store/],
    [{ node: '0/2', nodes: 3, store: 'etcd://db' }, /leave out --nodes/],
    [{ store: 'http://db' }, /no store has the scheme/],
  ])('%j is refused', (options, words) => expect(() => jobOf(options)).toThrow(words));
});

test('machines that run cases together run no others', async () => {
  const cases = [{ tags: ['distributed'] }, { tags: [] }] as unknown as Case[];
  await expect(checkJobs({ node: '0/2', store: 'redis://127.0.0.1:1' }, cases, { env: {} })).rejects.toThrow(
    '--tag distributed',
  );
});

test('a store that does not answer is known before the first case', async () => {
  const cases = [{ tags: ['distributed'] }] as unknown as Case[];
  for (const store of ['redis://127.0.0.1:1', 'etcd://127.0.0.1:1'])
    await expect(checkJobs({ store }, cases, { env: {} })).rejects.toThrow(`${store}: `);
});

test('the options are repeated on a command line', () => {
  expect(jobWords({ node: '0/2', store: 'etcd://db' })).toEqual(['--node', '0/2', '--store', 'etcd://db']);
});

import { expect, test } from 'vitest';
import { changedFiles, ownFiles } from './own-files.ts';

test('every file that decides what a run does has a digest, and none that nothing reads', () => {
  const { sha256, files } = ownFiles();
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  const paths = Object.keys(files);
  for (const path of [
    'suites/requirements.yaml',
    'schemas/events.schema.json',
    'mustpass/index.yaml',
    'plugins/environment.yaml',
  ])
    expect(paths).toContain(path);
  expect(paths.filter((path) => /\.(?:map|d\.ts)$/.test(path))).toEqual([]);
});

test('what changed has names', () => {
  const built = { sha256: '', files: { a: '1', b: '2', c: '3' } };
  expect(changedFiles(built, { sha256: '', files: { a: '1', b: 'other', d: '4' } })).toEqual(['b', 'c', 'd']);
});

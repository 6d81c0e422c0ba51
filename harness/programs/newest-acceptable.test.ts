import { expect, test } from 'vitest';
import { newestAcceptable } from './newest-acceptable.ts';
import { loadProgram } from './programs.ts';
import type { StablehloVersion } from './stablehlo-version.ts';

const stored = ['0.9.0', '1.0.0', '1.4.0', '1.8.0', '1.13.0', '1.17.0'];
const program = { artifacts: stored.map((version) => ({ version, file: '' })) };

const pick = (current?: StablehloVersion, minimum?: StablehloVersion) =>
  newestAcceptable(program, current, minimum)?.version;

test.each<[StablehloVersion, string | undefined]>([
  [[1, 13, 3], '1.13.0'],
  [[1, 22, 0], '1.17.0'],
  [[1, 17, 0], '1.17.0'],
  [[1, 12, 9], '1.8.0'],
  [[1, 0, 0], '1.0.0'],
  [[0, 20, 6], '0.9.0'],
  [[2, 0, 0], '1.17.0'],
  [[0, 8, 0], undefined],
])('a plugin at %j gets %s', (current, version) => {
  expect(pick(current)).toBe(version);
});

test('a minimum above every stored artifact leaves none', () => {
  expect(pick([1, 13, 3], [1, 13, 0])).toBe('1.13.0');
  expect(pick([1, 13, 3], [1, 13, 1])).toBeUndefined();
});

test('a plugin that announces nothing gets the oldest artifact from 1.0.0 on', () => {
  expect(pick()).toBe('1.0.0');
  expect(pick(undefined, [1, 5, 0])).toBe('1.8.0');
});

test('a program of the versions group is offered at every version', () => {
  expect(loadProgram('versions/add_one').artifacts.map((a) => a.version)).toEqual(stored);
});

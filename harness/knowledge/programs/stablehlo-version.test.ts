import { expect, test } from 'vitest';
import { loadProgram } from './programs.ts';
import { newestAcceptable, type StablehloVersion, stampVersion } from './stablehlo-version.ts';

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

const artifact = (version: string): Uint8Array =>
  Buffer.concat([Buffer.from('4d4cef520d', 'hex'), Buffer.from(`StableHLO_v${version}\0rest\0`, 'latin1')]);

test.each(['0.9.0', '1.0.0', '1.13.0', '10.20.30'])('a shorter, equal or longer version: %s', (version) => {
  expect(Buffer.from(stampVersion(artifact('1.0.0'), version))).toEqual(Buffer.from(artifact(version)));
});

test('bytes that are not an artifact are rejected', () => {
  expect(() => stampVersion(Buffer.from('4d4cef520d', 'hex'), '1.0.0')).toThrow('not a portable artifact');
  expect(() => stampVersion(Buffer.from('module @x {}\0'), '1.0.0')).toThrow('not a portable artifact');
});

import { expect, test } from 'vitest';
import { loadProgram, programNames } from './programs.ts';

test('a program has its signature, text and artifacts', () => {
  const program = loadProgram('misc/f_f32');
  expect(program.inputs).toEqual([{ dtype: 'f32', shape: [] }]);
  expect(program.outputs).toEqual([{ dtype: 'f32', shape: [] }]);
  expect(program.text()).toContain('module @misc_f_f32 {');
  const newest = program.artifact(program.artifacts.at(-1)!.version);
  expect(Buffer.from(newest.subarray(0, 4)).toString('latin1')).toBe('ML\u00efR');
});

test('loading twice gives the same object and the same bytes', () => {
  expect(loadProgram('misc/add_one')).toBe(loadProgram('misc/add_one'));
  expect(loadProgram('misc/add_one').bytes()).toBe(loadProgram('misc/add_one').bytes());
  expect(loadProgram('misc/add_one').artifact('1.0.0')).toEqual(loadProgram('misc/add_one').artifact('1.0.0'));
});

test('names are sorted, unique and start with their group', () => {
  const names = programNames();
  expect(names).toEqual([...new Set(names)].sort());
  for (const name of names) expect(name).toMatch(/^[a-z_]+\/[a-z0-9_]+$/);
});

test('an unknown name gets suggestions', () => {
  expect(() => loadProgram('misc/ad_one')).toThrow("no program is named 'misc/ad_one'; did you mean 'misc/add_one'");
  expect(() => loadProgram('add_one')).toThrow("'misc/add_one'");
  expect(() => loadProgram('nothing/like/this/at/all')).toThrow('index.json lists all names');
});

test('an artifact that is not stored is an error with those that are', () => {
  expect(() => loadProgram('misc/add_one').artifact('1.2.3')).toThrow(
    'it has 0.9.0, 1.0.0, 1.4.0, 1.8.0, 1.13.0, 1.17.0',
  );
});

test('an artifact has the requested version, whichever file it comes from', () => {
  const program = loadProgram('versions/matmul');
  const files = new Set(program.artifacts.map(({ file }) => file));
  expect(files.size).toBeLessThan(program.artifacts.length);
  for (const { version } of program.artifacts) {
    const producer = Buffer.from(program.artifact(version)).toString('latin1', 5, 5 + 12 + version.length);
    expect(producer).toBe(`StableHLO_v${version}\0`);
  }
});

test('an invalid program is marked, and an invalid artifact has no text', () => {
  const program = loadProgram('bad/artifact_truncated_half');
  expect(program.bad).toBe(true);
  expect(program.artifacts).toEqual([]);
  expect(program.bytes().length).toBeGreaterThan(0);
  expect(() => program.text()).toThrow('has no StableHLO text');
});

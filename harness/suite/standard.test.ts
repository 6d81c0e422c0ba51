import { beforeAll, expect, test } from 'vitest';
import { packageSuites } from '../run/suites/package-suites.ts';
import { compilationsOf } from './compilations.ts';
import { loadRequirements } from './requirements.ts';
import { sampleCase } from './sample-case.test-helper.ts';
import { CASES, COMPILATIONS, isOptIn, standardCases } from './standard.ts';
import type { Case, StepBody } from './types.ts';

/** A case with the fields that the choice depends on. */
const testCase = (id: string, more: Partial<Case>, ...steps: StepBody[]): Case => sampleCase(id, more, steps);
const compile = (program: string): StepBody => ({ verb: 'compile', as: 'f', program });
const shared = { programs: 'shared' as const };

test('a requirement is covered by the cheapest case', () => {
  const cases = [
    testCase('a:compiled', { covers: ['A'] }, compile('p')),
    testCase('a:process', { covers: ['A'], isolation: 'process' }),
    testCase('a:plain', { covers: ['A'] }),
  ];
  expect([...standardCases(cases)][0]).toBe('a:plain');
});

test('programs that are already compiled cost nothing', () => {
  const cases = [
    testCase('a:must', { covers: ['A'], ...shared }, compile('p')),
    ...Array.from({ length: COMPILATIONS + 10 }, (_, i) =>
      testCase(`b:other_${i}`, { covers: ['A'], ...shared }, compile(`q${i}`)),
    ),
    testCase('c:free', { covers: ['A'], ...shared }, compile('p')),
  ];
  const chosen = standardCases(cases);
  expect(chosen).toContain('a:must');
  expect(chosen).toContain('c:free');
  expect(chosen.size).toBe(COMPILATIONS + 1);
});

test('a MUST that only an expensive or a large case covers is still covered; a SHOULD is not', () => {
  const loop: StepBody = { verb: 'probe', name: 'leak-of-compilations' };
  const must = testCase('a:loop', { covers: ['A'] }, loop);
  const large = testCase('a:large', { covers: ['B'], params: { shape: [1024, 1024] } });
  const should = testCase('b:loop', { covers: ['C'], level: 'should' }, loop);
  expect([...standardCases([must, large, should])].sort()).toEqual(['a:large', 'a:loop']);
});

test('a matrix contributes one case for each kind of elements', () => {
  const types = ['f32', 's8', 's16', 's32', 'f16', 'bf16', 'c64'];
  const cases = types.map((dtype) => testCase(`a:transfer[dtype=${dtype}]`, { covers: ['A'], params: { dtype } }));
  expect([...standardCases(cases)].sort()).toEqual([
    'a:transfer[dtype=c64]',
    'a:transfer[dtype=f16]',
    'a:transfer[dtype=f32]',
    'a:transfer[dtype=s8]',
  ]);
});

test('compilations of cases: shared programs by text, others one by one', () => {
  const both = [compile('p'), compile('q'), compile('p')];
  expect(compilationsOf(testCase('a:x', shared, ...both))).toEqual({ shared: ['p', 'q'], own: 0 });
  expect(compilationsOf(testCase('a:x', {}, ...both))).toEqual({ shared: [], own: 3 });
  const probe: StepBody = { verb: 'probe', name: 'some-check', with: { program: 'p' } };
  expect(compilationsOf(testCase('a:x', {}, probe)).own).toBe(1);
  // In a process of its own nothing has been compiled before.
  expect(compilationsOf(testCase('a:x', { ...shared, isolation: 'process' }, ...both)).own).toBe(3);
  const refused: StepBody = { verb: 'compile', program: 'bad', error: 'INVALID_ARGUMENT' };
  expect(compilationsOf(testCase('a:x', {}, refused)).own).toBe(0);
  const options: StepBody = { verb: 'compile', program: 'p', options: { num_replicas: 2 } };
  expect(compilationsOf(testCase('a:x', shared, options, compile('p'))).shared).toHaveLength(2);
});

let cases: readonly Case[] = [];
let chosen: ReadonlySet<string>;
beforeAll(() => {
  cases = packageSuites().cases;
  chosen = standardCases(cases);
});

test('the profile of the package covers every MUST that the full one covers without being allowed more', () => {
  const covered = new Set(cases.filter(({ id }) => chosen.has(id)).flatMap(({ covers }) => covers));
  const all = new Set(cases.filter((c) => !isOptIn(c)).flatMap(({ covers }) => covers));
  const missing = [...all].filter((id) => !covered.has(id));
  const requirements = loadRequirements();
  expect(missing.filter((id) => requirements.get(id)!.level === 'must')).toEqual([]);
  // A few SHOULD and MAY that need expensive compilations are left out.
  expect(missing.length).toBeLessThan(all.size / 25);
});

test('it is small: 500 to 800 cases, and no more compilations than two workers do in a quarter of an hour at 22 s each', () => {
  expect(chosen.size).toBeGreaterThan(500);
  expect(chosen.size).toBeLessThanOrEqual(CASES);
  const selected = cases.filter(({ id }) => chosen.has(id)).map(compilationsOf);
  const programs = new Set(selected.flatMap((c) => c.shared));
  const compilations = programs.size + selected.reduce((sum, c) => sum + c.own, 0);
  expect(compilations).toBeLessThanOrEqual(COMPILATIONS);
  expect((compilations * 22) / 2).toBeLessThan(15 * 60);
});

test('it checks results of every class of operations', () => {
  // Each class has a MUST; what else there is about it is accuracy, or observed.
  const requirements = loadRequirements();
  const levelOf = (id: string) => requirements.get(id)!.level;
  const classes = (of: readonly Case[]): Set<string> =>
    new Set(of.flatMap(({ covers }) => covers.filter((id) => id.startsWith('NUM-') && levelOf(id) === 'must')));
  const all = classes(cases);
  expect(all.size).toBeGreaterThan(15);
  expect(classes(cases.filter(({ id }) => chosen.has(id)))).toEqual(all);
});

test('it leaves out what a manifest must allow, and what only a profile of its own has', () => {
  expect(cases.filter(isOptIn).length).toBeGreaterThan(0);
  expect(cases.filter((c) => isOptIn(c) && chosen.has(c.id))).toEqual([]);
});

test('it is deterministic', () => {
  expect([...standardCases([...cases])]).toEqual([...chosen]);
});

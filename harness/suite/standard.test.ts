import { beforeAll, expect, test } from 'vitest';
import { packageSuites } from '../run/suites/package-suites.ts';
import { compilationsOf, compilationsOfAll } from './compilations.ts';
import { PROFILES } from './profiles.ts';
import { loadRequirements } from './requirements.ts';
import { sampleCase } from './sample-case.test-helper.ts';
import { COMPILATIONS, isOptIn, standardCases } from './standard.ts';
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
  const loop: StepBody = { verb: 'repeat', times: 75, steps: [{ ...compile('p'), line: 1 }] };
  const must = testCase('a:loop', { covers: ['A'] }, loop);
  const large = testCase('a:large', { covers: ['B'], params: { shape: [1024, 1024] } });
  const should = testCase('b:loop', { covers: ['C'], level: 'should' }, loop);
  expect([...standardCases([must, large, should])].sort()).toEqual(['a:large', 'a:loop']);
});

test('what only a program of many operations covers of optional parts needs no program of its own', () => {
  const opt = { level: 'opt' as const, requires: { dtypes: ['f16'] }, ...shared };
  const cases = [
    testCase('a:one', { ...opt, covers: ['A'] }, compile('p')),
    testCase('b:many', { ...opt, covers: ['A', 'B'] }, compile('together/p')),
  ];
  expect([...standardCases(cases)][0]).toBe('b:many');
});

test('a matrix contributes one case for each element type', () => {
  const types = ['f32', 's8', 's16', 's32', 'f16', 'bf16', 'c64'];
  const cases = types.map((dtype) => testCase(`a:transfer[dtype=${dtype}]`, { covers: ['A'], params: { dtype } }));
  expect(standardCases(cases).size).toBe(types.length);
});

test('a matrix contributes each value of each parameter, not each combination', () => {
  const cases = ['during-call', 'zero-copy', 'until-transfer-completes'].flatMap((semantics) =>
    [[4], [2, 3]].map((shape) =>
      testCase(`a:transfer[semantics=${semantics},shape=${shape}]`, { covers: ['A'], params: { semantics, shape } }),
    ),
  );
  const chosen = cases.filter(({ id }) => standardCases(cases).has(id));
  expect(chosen).toHaveLength(3);
  expect(new Set(chosen.map(({ params }) => params.semantics)).size).toBe(3);
  expect(new Set(chosen.map(({ params }) => String(params.shape))).size).toBe(2);
});

test('a program that does what many do comes before those', () => {
  const cases = [
    testCase('a:one', { covers: ['A'], ...shared }, compile('p')),
    testCase('b:many', { covers: ['A', 'B'], ...shared }, compile('together/p')),
  ];
  expect([...standardCases(cases)][0]).toBe('b:many');
});

test('compilations of cases: shared programs by text, others one by one', () => {
  const both = [compile('p'), compile('q'), compile('p')];
  expect(compilationsOf(testCase('a:x', shared, ...both))).toEqual({ shared: ['p', 'q'], own: 0 });
  expect(compilationsOf(testCase('a:x', {}, ...both))).toEqual({ shared: [], own: 3 });
  const probe: StepBody = { verb: 'probe', name: 'some-check', with: { program: 'p' } };
  expect(compilationsOf(testCase('a:x', {}, probe)).own).toBe(1);
  // Cases in quarantine share a worker with each other.
  const quarantined = { ...shared, isolation: 'quarantine' as const };
  expect(compilationsOf(testCase('a:x', quarantined, ...both)).own).toBe(0);
  expect(compilationsOfAll([testCase('a:x', quarantined, ...both), testCase('a:y', shared, ...both)])).toBe(4);
  // In a process of its own nothing has been compiled before.
  expect(compilationsOf(testCase('a:x', { ...shared, isolation: 'process' }, ...both)).own).toBe(3);
  const refused: StepBody = { verb: 'compile', program: 'bad', error: 'INVALID_ARGUMENT' };
  expect(compilationsOf(testCase('a:x', {}, refused)).own).toBe(0);
  const options: StepBody = { verb: 'compile', program: 'p', options: { num_replicas: 2 } };
  expect(compilationsOf(testCase('a:x', shared, options, compile('p'))).shared).toHaveLength(2);
  // One replica and the first device are what a program is compiled for anyway.
  const plain: StepBody = { verb: 'compile', program: 'p', options: { num_replicas: 1 } };
  const assigned = (order: string): StepBody => ({
    verb: 'probe',
    name: 'device-assignment',
    with: { program: 'p', replicas: 1, partitions: 1, order },
  });
  expect(compilationsOf(testCase('a:x', shared, plain, assigned('first'), compile('p'))).shared).toEqual(['p']);
  expect(compilationsOf(testCase('a:x', shared, assigned('last'), compile('p'))).shared).toHaveLength(2);
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

test('it needs no more compilations than two workers do in a quarter of an hour at 22 s each', () => {
  const compilations = compilationsOfAll(cases.filter(({ id }) => chosen.has(id)));
  expect(compilations).toBeLessThanOrEqual(COMPILATIONS);
  expect((compilations * 22) / 2).toBeLessThan(15 * 60);
  // As its description says.
  const [about, most] = PROFILES.standard!.description.match(/[\d,]+/g)!.map((text) => Number(text.replace(',', '')));
  expect(Math.abs(chosen.size - about!)).toBeLessThan(100);
  expect(most).toBe(COMPILATIONS);
});

test('it has every value that distinguishes rows, of all that needs no compilation of its own', () => {
  const values = (of: readonly Case[]): string[] =>
    of.flatMap(({ suite, name, params }) =>
      Object.entries(params).map(([key, value]) => `${suite}:${name} ${key}=${JSON.stringify(value)}`),
    );
  const free = cases.filter((c) => compilationsOf(c).own === 0);
  const has = new Set(values(cases.filter(({ id }) => chosen.has(id))));
  const about = (family: string, parameter: string): string[] => [
    ...new Set(
      values(free.filter((c) => `${c.suite}:${c.name}` === family)).filter((v) => v.includes(` ${parameter}=`)),
    ),
  ];
  for (const [family, parameter] of [
    ['buffers/host-memory:overwrite', 'semantics'],
    ['buffers/host-strides:permuted', 'order'],
    ['async-transfer/manager:pieces', 'order'],
    ['abi/arguments:fields', 'function'],
  ] as const) {
    const all = about(family, parameter);
    expect(all.length, family).toBeGreaterThan(2);
    expect(all.filter((value) => !has.has(value))).toEqual([]);
  }
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

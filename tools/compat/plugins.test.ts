import { expect, test } from 'vitest';
import { findRelease, loadFramework } from '../../harness/frameworks/load.ts';
import { loadCatalogue } from '../mutation/catalogue.ts';
import { environmentOf, gapsOf, limitOf, loadComparison } from './plugins.ts';

const { releases, subjects, limits } = loadComparison();

test('every release is one that compat knows', () => {
  const jax = loadFramework('jax');
  expect(releases.filter((version) => findRelease(jax, version)?.version !== version)).toEqual([]);
});

test('every fault is in the catalogue', () => {
  const known = new Set(loadCatalogue().map(({ name }) => name));
  expect(subjects.flatMap(({ recipe }) => recipe.fault ?? []).filter((fault) => !known.has(fault))).toEqual([]);
});

test('names are told apart, and every function that is taken away exists', () => {
  expect(new Set(subjects.map(({ name }) => name)).size).toBe(subjects.length);
  for (const { recipe } of subjects) {
    const asked = Object.keys(recipe.slots ?? {});
    expect(gapsOf(recipe).map(([name]) => name)).toEqual(expect.arrayContaining(asked));
  }
});

test('every limit is of a plugin and a release that are compared', () => {
  const pairs = subjects.flatMap(({ name }) => releases.map((release) => [name, release] as const));
  const unused = limits.filter((limit) => !pairs.some(([name, release]) => limitOf([limit], name, release)));
  expect(unused).toEqual([]);
});

test('a plugin without a share of its functions lacks the same ones each time', () => {
  const odd = gapsOf({ base: 'reference', without: { every: 2, from: 1 } });
  const even = gapsOf({ base: 'reference', without: { every: 2, from: 0 } });
  expect(odd[0]).toEqual(['Error_Message', 'null']);
  expect(even[0]).toEqual(['Error_Destroy', 'null']);
  expect(odd.length + even.length).toBe(gapsOf({ base: 'reference', keep: ['none'] }).length);
});

test('gaps and versions are told by the environment', () => {
  expect(environmentOf({ base: 'reference', minor: 81 }, '/ref.so')).toEqual({ PJRT_REFERENCE_API_MINOR: '81' });
  expect(
    environmentOf({ base: 'reference', slots: { Client_Load: 'null', Buffer_Memory: 'INTERNAL' } }, '/ref.so'),
  ).toEqual({
    PJRT_FAULTS_BASE: '/ref.so',
    PJRT_FAULT: 'slots',
    PJRT_FAULTS_SLOTS: 'Buffer_Memory=INTERNAL,Client_Load=null',
  });
});

test('designs are told by the environment, alone and beside gaps', () => {
  const traits = ['memory-not-on-host', 'one-client'];
  expect(environmentOf({ base: 'reference', traits }, '/ref.so')).toEqual({
    PJRT_FAULTS_BASE: '/ref.so',
    PJRT_FAULT: 'slots',
    PJRT_FAULTS_TRAITS: 'memory-not-on-host,one-client',
  });
  const young = environmentOf(
    { base: 'reference', minor: 60, traits, rest: 'UNIMPLEMENTED', keep: ['none'] },
    '/ref.so',
  );
  expect(young.PJRT_FAULTS_SLOTS).toMatch(/^Error_Destroy=UNIMPLEMENTED,/);
  expect(young.PJRT_FAULTS_TRAITS).toBe('memory-not-on-host,one-client');
});

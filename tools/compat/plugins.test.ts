import { expect, test } from 'vitest';
import { findRelease, loadFramework } from '../../harness/verdict/frameworks/load.ts';
import { loadDesign } from '../designs/design.ts';
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

test('names are unique, and every removed function exists', () => {
  expect(new Set(subjects.map(({ name }) => name)).size).toBe(subjects.length);
  for (const { recipe } of subjects) {
    const asked = Object.keys(recipe.slots ?? {});
    expect(gapsOf(recipe).map(([name]) => name)).toEqual(expect.arrayContaining(asked));
  }
});

test('every limit concerns a plugin and a release that are compared', () => {
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

const libraries = { base: '/ref.so', designs: '/designs.so' };

test('the environment has the functions and the version of a plugin', () => {
  expect(environmentOf({ base: 'reference', minor: 81 }, libraries)).toEqual({ PJRT_REFERENCE_API_MINOR: '81' });
  const slots = { Client_Load: 'null', Buffer_Memory: 'INTERNAL' } as const;
  expect(environmentOf({ base: 'reference', slots }, libraries)).toEqual({
    PJRT_DESIGN_BASE: '/ref.so',
    PJRT_DESIGN_SLOTS: 'Buffer_Memory=INTERNAL,Client_Load=null',
  });
});

test('a fault is applied around a design, and the functions of a recipe are removed after those of its design', () => {
  const slots = { Buffer_UnsafePointer: 'null' } as const;
  const recipe = { base: 'reference', design: 'no-managers', slots, fault: 'devices-none' } as const;
  const { PJRT_DESIGN_SLOTS: gaps, ...rest } = environmentOf(recipe, libraries);
  expect(rest).toEqual({ PJRT_DESIGN_BASE: '/ref.so', PJRT_FAULTS_BASE: '/designs.so', PJRT_FAULT: 'devices-none' });
  expect(gaps).toMatch(/^Client_CreateBuffersForAsyncHostToDevice=UNIMPLEMENTED,.*,Buffer_UnsafePointer=null$/);
});

test('the environment is all that a design needs here', () => {
  const designs = new Set(subjects.flatMap(({ recipe }) => recipe.design ?? []));
  expect([...designs].map(loadDesign).filter(({ options, manifest }) => options || manifest)).toEqual([]);
});

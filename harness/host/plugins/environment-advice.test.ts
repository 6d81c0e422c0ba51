import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { packagePath } from '../../base/paths.ts';
import { environmentOf, generalEnvironment, isSuspect } from './environment-advice.ts';
import { readKnownManifests } from './known.ts';

test('plugins/environment.yaml matches the schema of manifests', () => {
  const schema = JSON.parse(readFileSync(packagePath('schemas', 'plugin-manifest.schema.json'), 'utf8')) as object;
  const ajv = new Ajv2020({ allowUnionTypes: true });
  ajv.addSchema(schema, 'manifest');
  const check = ajv.compile({ $ref: 'manifest#/$defs/environment' });
  expect(check(generalEnvironment()) || check.errors).toBe(true);
});

test('every fact that doctor reports about hardware and variables has a source', async () => {
  const manifests = await readKnownManifests();
  const facts = [
    ...generalEnvironment(),
    ...manifests.flatMap(({ hardware, environment }) => [...(hardware ? [hardware] : []), ...environment]),
  ];
  expect(facts.length).toBeGreaterThan(20);
  expect(facts.filter(({ source }) => source === undefined).map(({ name }) => name)).toEqual([]);
});

test('regular expressions of all manifests compile', async () => {
  const manifests = await readKnownManifests();
  const entries = [...generalEnvironment(), ...manifests.flatMap((m) => m.environment)];
  expect(entries.length).toBeGreaterThan(8);
  for (const entry of entries) expect(() => isSuspect(entry, { [entry.name]: 'x' })).not.toThrow();
});

test('suspicious values of variables', () => {
  const entry = (suspect?: 'set' | 'unset' | { matches: string }) => ({ name: 'X', about: 'x', suspect });
  expect(isSuspect(entry(), { X: '1' })).toBe(false);
  expect(isSuspect(entry('set'), { X: '1' })).toBe(true);
  expect(isSuspect(entry('set'), { X: '' })).toBe(false);
  expect(isSuspect(entry('unset'), {})).toBe(true);
  expect(isSuspect(entry('unset'), { X: '' })).toBe(false);
  expect(isSuspect(entry({ matches: '^$' }), { X: '' })).toBe(true);
  expect(isSuspect(entry({ matches: '^$' }), {})).toBe(false);
});

test("a plugin's own entry precedes the general one", async () => {
  const cuda = (await readKnownManifests()).find((m) => m.name === 'xla-cuda13');
  const entries = environmentOf(cuda).filter(({ name }) => name === 'LD_LIBRARY_PATH');
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({ suspect: 'set' });
  expect(environmentOf(undefined)).toEqual(generalEnvironment());
});

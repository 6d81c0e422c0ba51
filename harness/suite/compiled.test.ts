import { expect, test } from 'vitest';
import { checkedPackageSuites } from '../run/suites/package-suites.ts';
import { compileSuites, expandCompiled, suitesDigest } from './compiled.ts';

const { suites } = checkedPackageSuites();

test('the compiled form gives exactly the cases of the YAML', () => {
  expect(expandCompiled(JSON.parse(compileSuites(suites)))).toEqual(suites);
});

test('suites stand in the order of their ids, as in merged logs', () => {
  const ids = suites.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort());
});

test('the compiled form of other sources is not used', () => {
  const compiled = { digest: 'of something else', suites: [] };
  expect(expandCompiled(compiled)).toBeUndefined();
  expect(expandCompiled({ ...compiled, digest: suitesDigest() })).toEqual([]);
});

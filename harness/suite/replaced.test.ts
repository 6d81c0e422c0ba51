import { expect, test } from 'vitest';
import { PROBES } from './probe-description.ts';
import { REPLACED_PROBES } from './replaced.ts';

const names = [...PROBES.keys()];

test('what is replaced is gone', () => {
  expect(Object.keys(REPLACED_PROBES).filter((name) => names.includes(name))).toEqual([]);
});

test('a probe that replaces another exists', () => {
  const replacing = Object.values(REPLACED_PROBES)
    .filter((text) => text.includes('probe'))
    .flatMap((text) => [...text.matchAll(/`([a-z-]+)(…?)`/g)]);
  const missing = replacing.filter(
    ([, name, more]) => !names.some((known) => (more === '' ? known === name : known.startsWith(name!))),
  );
  expect(replacing.length).toBeGreaterThan(0);
  expect(missing.map(([text]) => text)).toEqual([]);
});

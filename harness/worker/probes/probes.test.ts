import { expect, test } from 'vitest';
import { NAMES as ABI } from './abi/names.ts';
import { NAMES as BUFFERS } from './buffers/names.ts';
import { NAMES as CLIENT } from './client/names.ts';
import { NAMES as COMPUTE } from './compute/names.ts';
import { PROBE_NAMES } from './names.ts';
import { PROBES } from './probes.ts';

test('every probe has a name and a description, and the other way round', () => {
  expect(Object.keys(PROBES).sort()).toEqual(Object.keys(PROBE_NAMES).sort());
  for (const text of Object.values(PROBE_NAMES)) expect(text).toMatch(/^[A-Z].*\.$/);
});

test('no two areas have a probe of the same name', () => {
  const names = [ABI, BUFFERS, CLIENT, COMPUTE].flatMap((area) => Object.keys(area));
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

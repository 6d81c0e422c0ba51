import { expect, test } from 'vitest';
import { releasesOf, sessionNames } from '../../knowledge/trace/session-files.ts';
import { loadAllSuites } from './load-suites.ts';

test('every session of the package is a case', async () => {
  const suites = (await loadAllSuites()).filter(({ id }) => id === 'framework/sessions');
  const played = suites.flatMap(({ cases }) =>
    cases.map(({ name, params: { release, script } }) => `${name}-${release}-${script}`),
  );
  expect(played.sort()).toEqual(sessionNames().sort());
  expect(releasesOf('jax').sort()).toEqual(['0.10.2', '0.12.0.1', '0.6.2']);
  expect(releasesOf('tensorflow')).toEqual([]);
});

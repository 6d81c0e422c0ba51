import { expect, test } from 'vitest';
import { packageSuites } from '../../harness/run/suites/package-suites.ts';
import { coverage } from '../../harness/suite/coverage.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';
import { loadAlone, loadEvidence } from './load.ts';
import { mustsAlone } from './markdown.ts';

test('few MUSTs rest on our own plugin alone, and each says why', () => {
  const { cases } = packageSuites();
  const found = mustsAlone(coverage(cases, loadRequirements()), loadEvidence()).map(({ id }) => id);
  expect(Object.keys(loadAlone()).sort()).toEqual(found.sort());
  expect(found.length).toBeLessThanOrEqual(25);
});

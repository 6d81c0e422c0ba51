import { expect, test } from 'vitest';
import { suitePaths } from '../../harness/run/suites/load-suites.ts';
import { vocabulary } from '../../harness/run/suites/vocabulary.ts';
import { coverage } from '../../harness/suite/coverage.ts';
import { loadSuites } from '../../harness/suite/load.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';
import { loadAlone, loadEvidence } from './load.ts';
import { mustsAlone } from './markdown.ts';

test('few MUSTs rest on our own plugin alone, and each says why', () => {
  const { cases } = loadSuites(suitePaths(), { vocabulary: vocabulary() });
  const found = mustsAlone(coverage(cases, loadRequirements()), loadEvidence()).map(({ id }) => id);
  expect(Object.keys(loadAlone()).sort()).toEqual(found.sort());
  expect(found.length).toBeLessThanOrEqual(25);
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../../harness/base/paths.ts';
import { seededSuite } from './seeded-suite.ts';

test('suites/explore/seeded.yaml is what tools/explore/seeded.ts writes', () => {
  expect(readFileSync(packagePath('suites', 'explore', 'seeded.yaml'), 'utf8')).toBe(seededSuite());
});

import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { displaySuite, suiteOnDisk } from './display.ts';
import { packagePath } from './paths.ts';

const elsewhere = mkdtempSync(join(tmpdir(), 'display-'));
afterAll(() => rmdirSync(elsewhere));

const SUITE = packagePath('suites/load/table.yaml');

test('a suite of the package is shown alike everywhere, and is found again from any directory', () => {
  const shown = displaySuite(elsewhere, SUITE);
  expect(shown).toBe('suites/load/table.yaml');
  expect(suiteOnDisk(elsewhere, shown)).toBe(SUITE);
  // From above the package the way is relative, and in it as it is shown.
  const above = suiteOnDisk(packagePath('..'), shown);
  expect(above).toMatch(/^[^/].*\/suites\/load\/table\.yaml$/);
  expect(existsSync(resolve(packagePath('..'), above))).toBe(true);
  expect(suiteOnDisk(packagePath(), shown)).toBe(shown);
});

test.each(['mine.yaml', '/elsewhere/suites/a.yaml', '../suites/a.yaml', 'suites/none.yaml', 'suites/../package.json'])(
  '%s is no suite of the package',
  (file) => expect(suiteOnDisk(elsewhere, file)).toBe(file),
);

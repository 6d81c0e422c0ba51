import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packagePath } from '../base/paths.ts';
import { EXIT_CODES, exitCode, exitMeaning, exitName } from './exit-codes.ts';

test('codes and names are unique and map to each other', () => {
  expect(new Set(EXIT_CODES.map((entry) => entry.code)).size).toBe(EXIT_CODES.length);
  expect(new Set(EXIT_CODES.map((entry) => entry.name)).size).toBe(EXIT_CODES.length);
  for (const { code, name } of EXIT_CODES) expect([exitCode(name), exitName(code)]).toEqual([code, name]);
  expect(exitName(77)).toBeUndefined();
});

test('the table in docs/reports.md is generated from this table', () => {
  const meaning = (code: number): string => exitMeaning(code).replace(/(--[a-z-]+)/g, '`$1`');
  const rows = EXIT_CODES.map(({ code, name }) => `| ${code} | \`${name}\` | ${meaning(code)} |`);
  // The formatter pads columns.
  const text = readFileSync(packagePath('docs', 'reports.md'), 'utf8').replace(/ +\|/g, ' |');
  expect(text).toContain(rows.join('\n'));
});

test('of a run only what applies to it is said', () => {
  expect(exitMeaning(1, () => false)).toBe('An unexpected violation of a MUST: failure, crash, timeout or flaky.');
  expect(exitMeaning(1, (what) => what === 'strict')).toMatch(/flaky \(with --strict also of a SHOULD\)\.$/);
  expect(exitMeaning(0, () => false)).toBe(exitMeaning(0));
});

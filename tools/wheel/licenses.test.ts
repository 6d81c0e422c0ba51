import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { carriedPackages, licenseProblems } from './licenses.ts';

let directory: string;

function add(name: string, license: string, text = true): void {
  const own = join(directory, 'node_modules', name);
  mkdirSync(join(own, 'lib'), { recursive: true });
  writeFileSync(join(own, 'package.json'), JSON.stringify({ name: name.split('node_modules/').at(-1), license }));
  // Not a package, only a note on the kind of its modules.
  writeFileSync(join(own, 'lib', 'package.json'), '{"type":"module"}');
  if (text) writeFileSync(join(own, 'LICENSE.md'), 'text');
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'licenses-'));
  writeFileSync(join(directory, 'LICENSE'), 'text');
  add('koffi', 'MIT');
  add('@koromix/koffi-linux-x64', 'MIT', false);
  add('yaml', 'ISC');
  add('yaml/node_modules/nested', 'Apache-2.0');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const pyproject = (license: string): string => `[project]\nlicense = "${license}"\n`;

test('nested and scoped packages count, notes inside of packages do not', () => {
  const names = carriedPackages(directory).map(({ name }) => name);
  expect(names.sort()).toEqual(['@koromix/koffi-linux-x64', 'koffi', 'nested', 'yaml']);
});

test('the expression of pyproject.toml is that of the packages', () => {
  expect(licenseProblems(directory, pyproject('Apache-2.0 AND ISC AND MIT'), 'Apache-2.0')).toEqual([]);
  expect(licenseProblems(directory, pyproject('Apache-2.0'), 'Apache-2.0')).toEqual([
    'python/pyproject.toml: license = "Apache-2.0", expected "Apache-2.0 AND ISC AND MIT"',
  ]);
});

test('a package without a license text is a problem', () => {
  add('bare', 'MIT', false);
  expect(licenseProblems(directory, pyproject('Apache-2.0 AND ISC AND MIT'), 'Apache-2.0')).toEqual([
    'bare: it has no license text; add one to python/licenses',
  ]);
});

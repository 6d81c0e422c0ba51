import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { PACKAGE_ROOT, packagePath } from '../base/paths.ts';
import type { LoadedSuite } from './load.ts';
import type { Case } from './types.ts';

/**
 * The package's suites, validated and expanded at build time: parsing YAML takes longer than everything else before the first
 * result. The YAML stays the source: the digest of every file that affects the expansion must match, or the compiled form is
 * not used.
 */
interface CompiledSuites {
  digest: string;
  suites: (Omit<LoadedSuite, 'cases'> & { cases: Omit<Case, 'file' | 'suite'>[] })[];
}

/** Where the build writes them. */
export const COMPILED_PATH = packagePath('dist', 'suites.json');

/** SHA-256 over everything that affects the expansion. */
export function suitesDigest(): string {
  const directory = packagePath('suites');
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256').update(readFileSync(packagePath('package.json')));
  for (const file of [...files, packagePath('schemas', 'suite.schema.json')]) {
    hash.update(`\0${file.slice(PACKAGE_ROOT.length).split(sep).join('/')}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** The text for COMPILED_PATH. */
export function compileSuites(suites: readonly LoadedSuite[]): string {
  const compiled: CompiledSuites = {
    digest: suitesDigest(),
    suites: suites.map(({ cases, file, ...suite }) => ({
      ...suite,
      file: file.slice(PACKAGE_ROOT.length + 1),
      cases: cases.map(({ file: _file, suite: _suite, ...testCase }) => testCase),
    })),
  };
  return JSON.stringify(compiled);
}

/** The compiled suites, or undefined if there are none or they are out of date. */
export function readCompiledSuites(): LoadedSuite[] | undefined {
  if (!existsSync(COMPILED_PATH)) return undefined;
  return expandCompiled(JSON.parse(readFileSync(COMPILED_PATH, 'utf8')) as CompiledSuites);
}

/** Suites from their compiled form; undefined if the digest does not match. */
export function expandCompiled(compiled: CompiledSuites): LoadedSuite[] | undefined {
  if (compiled.digest !== suitesDigest()) return undefined;
  return compiled.suites.map((suite) => {
    const file = packagePath(suite.file);
    // In place: thousands of copies would take longer than the digest.
    return { ...suite, file, cases: suite.cases.map((c) => Object.assign(c, { file, suite: suite.id })) };
  });
}

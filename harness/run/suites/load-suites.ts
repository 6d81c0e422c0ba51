import { existsSync } from 'node:fs';
import { packagePath } from '../../base/paths.ts';
import { readCompiledSuites } from '../../suite/compiled.ts';
import type { LoadedSuite } from '../../suite/load.ts';

/**
 * The suites of the package and of the user, expanded. Heavy modules (YAML, schemas) are imported on demand.
 * @param cwd base of relative paths of the user
 * @param wanted suite ids of `--suite`: if all are found in the corresponding files, no other file is read
 * @throws SuiteError with every problem in the files
 */
export async function loadAllSuites(
  own: readonly string[] = [],
  cwd = '',
  wanted: readonly string[] = [],
): Promise<LoadedSuite[]> {
  if (own.length === 0) {
    const compiled = readCompiledSuites();
    if (compiled) return compiled;
  }
  const [{ loadSuites }, { vocabulary }, { packageSuites }] = await Promise.all([
    import('../../suite/load.ts'),
    import('./vocabulary.ts'),
    import('./package-suites.ts'),
  ]);
  const load = (paths: readonly string[], beside: readonly LoadedSuite[] = []): LoadedSuite[] =>
    loadSuites(paths, { cwd, vocabulary: vocabulary(cwd), beside }).suites;
  const narrow = [...outermost(wanted).flatMap(packageSuite), ...own];
  if (wanted.length > 0 && narrow.length > 0) {
    const suites = load(narrow);
    const found = (id: string): boolean => suites.some((s) => s.id === id || s.id.startsWith(`${id}/`));
    if (wanted.every(found)) return suites;
  }
  const ofPackage = (own.length > 0 ? readCompiledSuites() : undefined) ?? packageSuites().suites;
  return own.length > 0 ? [...ofPackage, ...load(own, ofPackage)] : ofPackage;
}

/** Ids without those contained in another: each file is read once. */
const outermost = (ids: readonly string[]): string[] =>
  [...new Set(ids)].filter((id) => !ids.some((other) => id.startsWith(`${other}/`)));

/** The file or directory of the package for a suite id, if it exists. */
const packageSuite = (id: string): string[] =>
  [packagePath('suites', id), packagePath('suites', `${id}.yaml`)].filter((path) => existsSync(path)).slice(0, 1);

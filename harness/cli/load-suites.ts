import { existsSync } from 'node:fs';
import { packagePath } from '../paths.ts';
import { readCompiledSuites } from '../suite/compiled.ts';
import type { LoadedSuite } from '../suite/load.ts';

/** Files and folders that hold suites: the package's own, and the user's. */
export const suitePaths = (own: readonly string[] = []): string[] => [packagePath('suites'), ...own];

/**
 * The package's suites and those of the user, expanded. What is heavy (YAML, schemas) is only imported when it is needed.
 * @param wanted suite ids of `--suite`: where all of them are the package's, no other file is read
 * @throws SuiteError with every problem of every file that is read
 */
export async function loadAllSuites(
  own: readonly string[] = [],
  wanted: readonly string[] = [],
): Promise<LoadedSuite[]> {
  const compiled = own.length === 0 ? readCompiledSuites() : undefined;
  if (compiled) return compiled;
  const [{ loadSuites }, { vocabulary }] = await Promise.all([import('../suite/load.ts'), import('./vocabulary.ts')]);
  return loadSuites(narrowed(wanted) ?? suitePaths(own), { vocabulary: vocabulary() }).suites;
}

/** Files and folders of the package that suite ids mean; undefined when one of them means something else. */
function narrowed(wanted: readonly string[]): string[] | undefined {
  const paths = wanted.map((id) =>
    [packagePath('suites', id), packagePath('suites', `${id}.yaml`)].find((p) => existsSync(p)),
  );
  return paths.length > 0 && paths.every((p) => p !== undefined) ? paths : undefined;
}

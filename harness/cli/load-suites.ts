import { packagePath } from '../paths.ts';
import { readCompiledSuites } from '../suite/compiled.ts';
import type { LoadedSuite } from '../suite/load.ts';

/** Files and folders that hold suites: the package's own, and the user's. */
export const suitePaths = (own: readonly string[] = []): string[] => [packagePath('suites'), ...own];

/**
 * The package's suites and those of the user, expanded. What is heavy (YAML, schemas) is only imported when it is needed.
 * @throws SuiteError with every problem of every file
 */
export async function loadAllSuites(own: readonly string[] = []): Promise<LoadedSuite[]> {
  const compiled = own.length === 0 ? readCompiledSuites() : undefined;
  if (compiled) return compiled;
  const [{ loadSuites }, { vocabulary }] = await Promise.all([import('../suite/load.ts'), import('./vocabulary.ts')]);
  return loadSuites(suitePaths(own), { vocabulary: vocabulary() }).suites;
}

import type { Coverage } from '../suite/coverage.ts';
import type { Validation } from '../suite/validate.ts';
import { loadAllSuites, suitePaths } from './load-suites.ts';

/** `validate`: the problems of these suites, or of the package's; problems are data here, not errors. */
export async function checkSuites(paths: readonly string[], cwd: string): Promise<Validation> {
  const [{ validateSuites }, { vocabulary }] = await Promise.all([
    import('../suite/validate.ts'),
    import('./vocabulary.ts'),
  ]);
  return validateSuites(paths.length > 0 ? paths : suitePaths(), vocabulary(cwd), { cwd });
}

/** `coverage`: which cases of the package and of these suites cover which requirements. @throws SuiteError */
export async function coverageOf(own: readonly string[] | undefined, cwd: string): Promise<Coverage> {
  const [{ coverage }, { loadRequirements }] = await Promise.all([
    import('../suite/coverage.ts'),
    import('../suite/requirements.ts'),
  ]);
  const suites = await loadAllSuites(own, cwd);
  return coverage(
    suites.flatMap(({ cases }) => cases),
    loadRequirements(),
  );
}

import { packagePath } from '../../base/paths.ts';
import type { Coverage } from '../../suite/coverage.ts';
import type { OpsCoverage } from '../../suite/op-coverage.ts';
import type { Validation } from '../../suite/validate.ts';
import { loadAllSuites } from './load-suites.ts';

/** `validate`: the problems of these suites, or of the package's; problems are data here, not errors. */
export async function checkSuites(paths: readonly string[], cwd: string): Promise<Validation> {
  const [{ validateSuites }, { vocabulary }] = await Promise.all([
    import('../../suite/validate.ts'),
    import('./vocabulary.ts'),
  ]);
  const result = validateSuites(paths.length > 0 ? paths : [packagePath('suites')], vocabulary(cwd), { cwd });
  if (result.problems.length > 0 || paths.length === 0) return result;
  const [{ loadSuites }, { fileProblems }] = await Promise.all([
    import('../../suite/load.ts'),
    import('./file-problems.ts'),
  ]);
  const { suites } = loadSuites(paths, { cwd });
  const problems = await fileProblems(
    suites.flatMap(({ cases }) => cases),
    cwd,
  );
  const valid = suites.filter(({ file }) => !problems.some((problem) => problem.file === file));
  return { ...result, suites: valid.length, problems };
}

/** `coverage`: which cases of the package and of these suites cover which requirements. @throws SuiteError */
export async function coverageOf(own: readonly string[] | undefined, cwd: string): Promise<Coverage> {
  const [{ coverage }, { requirementsFor }] = await Promise.all([
    import('../../suite/coverage.ts'),
    import('../../suite/requirements.ts'),
  ]);
  const suites = await loadAllSuites(own, cwd);
  return coverage(
    suites.flatMap(({ cases }) => cases),
    requirementsFor(own ?? [], cwd),
  );
}

/** `coverage --ops`: which forms of operations the cases of the package and of these suites run. @throws SuiteError */
export async function opCoverageOf(own: readonly string[] | undefined, cwd: string): Promise<OpsCoverage> {
  const { opCoverage } = await import('../../suite/op-coverage.ts');
  const suites = await loadAllSuites(own, cwd);
  return opCoverage(suites.flatMap(({ cases }) => cases));
}

import { packagePath } from '../../base/paths.ts';
import { readCompiledSuites } from '../../suite/compiled.ts';
import { type LoadedSuite, loadSuites } from '../../suite/load.ts';
import type { Case } from '../../suite/types.ts';
import { vocabulary } from './vocabulary.ts';

/** The suites of the package, and every case of them in order. */
interface PackageSuites {
  suites: LoadedSuite[];
  cases: Case[];
}

/** The suites of the package from their YAML, with every check. @throws SuiteError */
export const checkedPackageSuites = (): PackageSuites =>
  loadSuites([packagePath('suites')], { vocabulary: vocabulary() });

let loaded: PackageSuites | undefined;

/** The suites of the package, compiled if they are current: loaded once a process, for all who only read them. */
export function packageSuites(): PackageSuites {
  const compiled = loaded ? undefined : readCompiledSuites();
  loaded ??= compiled ? { suites: compiled, cases: compiled.flatMap(({ cases }) => cases) } : checkedPackageSuites();
  return loaded;
}

import { packagePath } from '../../base/paths.ts';
import { type LoadedSuite, loadSuites } from '../../suite/load.ts';
import type { Case } from '../../suite/types.ts';
import { vocabulary } from './vocabulary.ts';

/** The suites of the package, and every case of them in order. */
interface PackageSuites {
  suites: LoadedSuite[];
  cases: Case[];
}

let loaded: PackageSuites | undefined;

/** The suites of the package as their YAML says, with every check: loaded once a process, for all who only read them. */
export function packageSuites(): PackageSuites {
  loaded ??= loadSuites([packagePath('suites')], { vocabulary: vocabulary() });
  return loaded;
}

/** Part of `npm run build`: checks and expands the package's suites and writes dist/suites.json. */
import { writeFileSync } from 'node:fs';
import { suitePaths } from '../../harness/run/suites/load-suites.ts';
import { vocabulary } from '../../harness/run/suites/vocabulary.ts';
import { COMPILED_PATH, compileSuites } from '../../harness/suite/compiled.ts';
import { loadSuites } from '../../harness/suite/load.ts';
import { SuiteError } from '../../harness/suite/problem.ts';

try {
  writeFileSync(COMPILED_PATH, compileSuites(loadSuites(suitePaths(), { vocabulary: vocabulary() }).suites));
} catch (error) {
  if (!(error instanceof SuiteError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

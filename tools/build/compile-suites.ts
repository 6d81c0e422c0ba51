/** Part of `npm run build`: checks and expands the package's suites and writes dist/suites.json. */
import { writeFileSync } from 'node:fs';
import { checkedPackageSuites } from '../../harness/run/suites/package-suites.ts';
import { COMPILED_PATH, compileSuites } from '../../harness/suite/compiled.ts';
import { SuiteError } from '../../harness/suite/problem.ts';

try {
  writeFileSync(COMPILED_PATH, compileSuites(checkedPackageSuites().suites));
} catch (error) {
  if (!(error instanceof SuiteError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** Prints which requirements have cases: `npx tsx tools/requirements/matrix.ts [text|json|markdown]`. */
import { packagePath } from '../../harness/paths.ts';
import { coverage, coverageJson, coverageMarkdown, formatCoverage } from '../../harness/suite/coverage.ts';
import { loadSuites } from '../../harness/suite/load.ts';
import { loadRequirements } from '../../harness/suite/requirements.ts';

const FORMATS = { text: formatCoverage, json: coverageJson, markdown: coverageMarkdown };

const format = process.argv[2] ?? 'text';
if (!Object.hasOwn(FORMATS, format)) {
  console.error(`matrix: unknown format ${JSON.stringify(format)}; expected one of ${Object.keys(FORMATS).join(', ')}`);
  process.exit(2);
}
const requirements = loadRequirements();
const { cases } = loadSuites([packagePath('suites')], { requirements });
process.stdout.write(FORMATS[format as keyof typeof FORMATS](coverage(cases, requirements)));

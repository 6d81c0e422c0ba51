/** Checks the committed programs against the index: `npx tsx tools/programs/check.ts`; fast, needs no Python. */
import { packagePath } from '../../harness/base/paths.ts';
import { findStale } from './stale.ts';

const found = findStale(packagePath('fixtures'));
for (const line of found) console.error(line);
if (found.length > 0) {
  console.error(`${found.length} differences; run tools/programs/generate.py (see docs/programs.md)`);
  process.exitCode = 1;
} else {
  console.log('fixtures/programs and fixtures/artifacts agree with their index');
}

/** Part of `npm run build`: the data that the code reads: JSON beside it, and fixtures/ as one file. */
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { FIXTURE_PACK, packFixtures } from '../../harness/base/fixtures.ts';
import { packagePath } from '../../harness/base/paths.ts';

for (const file of readdirSync(packagePath('harness'), { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.json')) cpSync(packagePath('harness', file), packagePath('dist', file));
}

const { data, places } = packFixtures(packagePath('fixtures'));
writeFileSync(FIXTURE_PACK.data, data);
writeFileSync(FIXTURE_PACK.index, JSON.stringify(places));

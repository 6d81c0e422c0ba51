// Writes suites/explore/seeded.yaml: a few sessions of `explore` that every plugin can be asked, with the moves of one optional part each.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { packagePath } from '../../harness/base/paths.ts';
import { seededSuite } from './seeded-suite.ts';

const file = packagePath('suites', 'explore', 'seeded.yaml');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, seededSuite());

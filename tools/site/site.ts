/** `npm run docs:site`: builds the documentation as a static site, in build/site. A dead link or a missing heading is an error. */
import { rmSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { buildSite } from './build.ts';

const directory = packagePath('build', 'site');
process.stderr.write('building the site …\n');
rmSync(directory, { recursive: true, force: true });
await buildSite(directory);
process.stdout.write(`open ${directory}/index.html\n`);

/** `npm run docs`: writes what the probes say of themselves where suites are checked and where a worker finds them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { descriptions, findProbes, registry } from './registry.ts';

const probes = await findProbes();
const written = {
  'harness/suite/probes.generated.json': descriptions(probes),
  'harness/worker/probes/registry.generated.ts': registry(probes),
};
for (const [file, text] of Object.entries(written)) {
  if (!process.argv.includes('--check')) writeFileSync(packagePath(file), text);
  else if (readFileSync(packagePath(file), 'utf8') !== text) {
    process.stderr.write(`${file} is stale: run \`npm run docs\` and commit the result\n`);
    process.exitCode = 1;
  }
}

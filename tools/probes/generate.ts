/** `npm run docs`: writes what the probes say of themselves where suites are checked and where a worker finds them, and the choices that cover the attributes of operations. */
import { readFileSync, writeFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { type WrittenCoverings, writtenChoice } from '../../harness/knowledge/ops/coverings.ts';
import { covering } from '../../harness/knowledge/ops/pairs.ts';
import { SPACES } from '../../harness/knowledge/ops/spaces.ts';
import { descriptions, findProbes, registry } from './registry.ts';

/** An operation a line. */
const linesOf = (all: WrittenCoverings): string =>
  Object.entries(all)
    .map(([op, choices]) => ` ${JSON.stringify(op)}: ${JSON.stringify(choices)}`)
    .join(',\n');

const probes = await findProbes();
const coverings: WrittenCoverings = Object.fromEntries(
  Object.entries(SPACES).map(([op, space]) => [
    op,
    covering(space).forms.map(({ choice }) => writtenChoice(space, choice)),
  ]),
);
const written = {
  'harness/suite/probes.generated.json': descriptions(probes),
  'harness/worker/probes/registry.generated.ts': registry(probes),
  'harness/knowledge/ops/coverings.generated.json': `{\n${linesOf(coverings)}\n}\n`,
};
for (const [file, text] of Object.entries(written)) {
  if (!process.argv.includes('--check')) writeFileSync(packagePath(file), text);
  else if (readFileSync(packagePath(file), 'utf8') !== text) {
    process.stderr.write(`${file} is stale: run \`npm run docs\` and commit the result\n`);
    process.exitCode = 1;
  }
}

/** `npm run record:tutorial`: plays docs/tutorial.md and writes the outputs that it shows. */
import { writeFileSync } from 'node:fs';
import { packagePath } from '../../harness/base/paths.ts';
import { play, readTutorial, TUTORIAL } from './play.ts';
import { comparable, partOf, type Shown, withOutputs } from './script.ts';

const texts = new Map<Shown, string>();
await play(({ step, exit, output }) => {
  process.stderr.write(`${TUTORIAL}:${step.line}: exit code ${exit}\n`);
  if (exit !== step.exit) {
    process.stderr.write(`expected exit code ${step.exit}; the output was:\n${output}\n`);
    process.exitCode = 1;
    return;
  }
  for (const shown of step.shown) {
    const now = partOf(output, shown);
    // Times alone are no reason for a change.
    if (comparable(now) !== comparable(shown.text)) texts.set(shown, now);
  }
});
writeFileSync(packagePath(TUTORIAL), withOutputs(readTutorial(), texts));
process.stderr.write(`${texts.size} outputs changed\n`);

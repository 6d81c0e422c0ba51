import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, scratchDirectory } from '../../../base/scratch.ts';
import { StdoutCapture } from '../../ffi/stdout-capture.ts';
import { Client } from '../../pjrt/client.ts';
import { AbsentError, PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { number, optional, probe } from '../probe.ts';
import { compileFor, runAddOne } from '../support/client-work.ts';

/**
 * A client is made, used and destroyed while the process has a working directory, a temporary directory and a standard
 * output of its own: afterwards there is nothing in them.
 */
export const tracesOfWork = probe('traces-of-work', { rounds: optional(number, 1) }, (context, { rounds }) => {
  const [before, tmpdir] = [process.cwd(), process.env.TMPDIR];
  const directory = scratchDirectory('traces', {
    furnish: (made) => {
      for (const part of ['working', 'temporary']) mkdirSync(join(made, part));
      process.chdir(join(made, 'working'));
    },
  });
  const [working, temporary] = [join(directory, 'working'), join(directory, 'temporary')];
  try {
    const capture = new StdoutCapture();
    let output = '';
    try {
      process.env.TMPDIR = temporary;
      work(context, rounds);
    } finally {
      output = capture.end();
      if (tmpdir === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = tmpdir;
    }
    if (output !== '')
      context.report({
        type: 'pjrt.ProcessChanged',
        level: 'should',
        message: 'the plugin writes to the standard output of the process',
        detail: output.slice(0, 500),
        requirements: ['HYG-OUT-001'],
      });
    for (const [place, name, requirement] of [
      [working, 'working', 'HYG-FIL-001'],
      [temporary, 'temporary', 'HYG-FIL-002'],
    ] as const) {
      const left = filesIn(place);
      if (left.length === 0) continue;
      context.report({
        type: 'pjrt.ResourceLeak',
        level: 'should',
        message: `after its client was destroyed, ${left.length} files are left in the ${name} directory`,
        detail: left.slice(0, 10).join('\n'),
        requirements: [requirement],
      });
    }
  } finally {
    process.chdir(before);
    rmSync(directory, { recursive: true, force: true });
  }
});

/** What fails leaves nothing behind either; whether it should fail does not matter here. */
export function work(context: CaseContext, rounds: number): void {
  const client = Client.create(context.api, context.arena, context.subjects[0]!.setup.options);
  try {
    const executable = compileFor(context, client, 'misc/add_one');
    try {
      for (let round = 0; round < rounds; round++) runAddOne(context, client, executable, round + 1);
    } finally {
      executable.destroy();
    }
  } catch (error) {
    if (![NotSupported, AbsentError, PjrtError].some((kind) => error instanceof kind)) throw error;
  } finally {
    client.destroy();
  }
}

import { fork } from 'node:child_process';
import { programPath } from '../../../base/paths.ts';
import { fromBytes } from '../../../knowledge/numerics/array.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import { CheckFailure, NotSupported } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { probe, program } from '../probe.ts';
import { violated } from '../support/checks.ts';
import { killedOutside } from '../support/killed-outside.ts';
import { runOnce, sampleInputs } from '../support/sample-run.ts';
import { serialize } from './load-serialized.ts';
import type { Errand, Errands } from './new-process.ts';

const entry = programPath('worker/probes/serialization/new-process');

/** An executable is serialized here and loaded by another process, as from a cache on disk; the bits are the same. */
export const executableInNewProcess = probe('executable-in-new-process', { program }, async (context, { program }) => {
  const { setup } = context.subjects[0]!;
  if (setup.serial) throw new NotSupported("the plugin's manifest says that only one process at a time can have it");
  const loaded = compileProgram(context, program);
  const bytes = serialize(context, loaded);
  const expected = runOnce(context, loaded, sampleInputs(program)).map((output) => fetchArray(context, output));
  const answer = await ask({ setup, case: context.case, program, bytes });
  if (typeof answer === 'string') throw new NotSupported(answer);
  if (answer === undefined) {
    throw new CheckFailure({ type: 'pjrt.AssertionFailed', message: 'the other process died before it had an answer' });
  }
  if ('stage' in answer) {
    // Devices that only one process can have are no fault.
    if (answer.stage === 'client') throw new NotSupported(`a second process gets no client: ${answer.problem}`);
    const { refused } = answer;
    // What is not offered there is not offered at all.
    if (refused?.codeName === 'UNIMPLEMENTED')
      throw new PjrtError(refused.call, refused.code, refused.codeName, refused.text, []);
    // This process may hold all that the device has.
    if (refused?.codeName === 'RESOURCE_EXHAUSTED')
      throw new NotSupported(`a second process gets no memory: ${answer.problem}`);
    violated(
      `another process cannot ${answer.stage} an executable that was serialized here`,
      answer.stage === 'load' ? 'PJRT_Executable_DeserializeAndLoad' : 'PJRT_LoadedExecutable_Execute',
      undefined,
      { type: 'pjrt.UnexpectedError', detail: answer.problem },
    );
  }
  expected.forEach((array, i) => {
    const other = fromBytes(array.dtype, array.shape, Uint8Array.from(answer.outputs[i]!));
    expectArray(context, `output ${i} of the other process`, array, other, 'bits');
  });
});

/** Undefined when the process ends without an answer; a text says why that means nothing. */
function ask(errand: Errand): Promise<Errands | string | undefined> {
  return new Promise((resolve) => {
    const child = fork(entry, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' });
    child.once('message', (answer) => resolve(answer as Errands));
    child.once('exit', () => resolve(killedOutside(child)));
    child.once('error', () => resolve(undefined));
    child.send(errand);
  });
}

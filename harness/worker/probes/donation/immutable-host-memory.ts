import { SEMANTICS } from '../../pjrt/client.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { probe, program } from '../probe.ts';
import { filled, violated } from '../support/checks.ts';
import { start } from '../support/sample-run.ts';

/** Memory of the host that was lent as immutable, with an execution that may take its buffer: it is never written. */
export const immutableHostMemory = probe('immutable-host-memory', { program }, (context, { program }) => {
  const { arena, client, scope } = context;
  const input = filled('f32', [4], 3);
  // Aligned as frameworks align, so that a plugin may use the memory in place.
  const host = arena.copy(input.bytes, 4096);
  const { buffer, done } = client.bufferFromHost(arena, {
    data: host.address,
    type: input.dtype.enumValue,
    dims: input.shape,
    semantics: SEMANTICS['zero-copy'],
    device: client.firstDevice().pointer,
  });
  scope.own(buffer);
  scope.own(done);
  buffer.awaitReady();
  const executable = compileProgram(context, program);
  try {
    const run = start(context, executable, [[buffer]]);
    for (const event of run.events) event.await();
    const [output] = run.outputs[0]!;
    expectArray(context, 'the output', filled('f32', [4], 4), fetchArray(context, output!), 'bits');
  } catch (error) {
    // A buffer whose memory must not be written may be refused to a program that has to write it.
    if (!(error instanceof PjrtError)) throw error;
  }
  if (Buffer.compare(host.bytes.subarray(0, input.bytes.length), input.bytes) !== 0) {
    violated(
      'an execution wrote into host memory that was lent as immutable',
      'PJRT_LoadedExecutable_Execute',
      undefined,
      'pjrt.MemoryOverrun',
    );
  }
});

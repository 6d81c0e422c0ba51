import type { HostArray } from '../../../knowledge/numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { SEMANTICS } from '../../pjrt/client.ts';
import { AbsentError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { untilItWaits } from '../../steps/execute.ts';
import { isRefusal, NotSupported } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { copiesFrom } from '../arrays/ways-in.ts';
import { probe } from '../probe.ts';
import { hashed, same } from '../support/checks.ts';
import { start } from '../support/sample-run.ts';

/** Gives its argument twice. */
const PROGRAM = 'outputs/input_twice';
const TRANSFER = 'PJRT_Client_BufferFromHostBuffer';

/** What was made of a zero-copy buffer. */
interface Made {
  what: string;
  buffer: Buffer;
  call: string;
  requirement: string;
}

/**
 * Copies and outputs that a zero-copy buffer becomes keep their contents when it is gone, its event says that the host memory is free, and
 * that is overwritten. They may use the memory themselves: then the event comes after them.
 */
export const madeOfZeroCopy = probe('made-of-zero-copy', {}, async (context) => {
  const { arena, client, scope } = context;
  const data: HostArray = hashed('f32', [4], 12);
  // Aligned as frameworks align, so that a plugin may use the memory in place.
  const host = arena.copy(data.bytes, 4096);
  const { buffer, done } = client.bufferFromHost(arena, {
    data: host.address,
    type: data.dtype.enumValue,
    dims: data.shape,
    semantics: SEMANTICS['zero-copy'],
    device: client.firstDevice().pointer,
  });
  scope.own(buffer);
  scope.own(done);
  const made: Made[] = [];
  for (const { name, call, requirement, make } of copiesFrom(context))
    try {
      const copy = scope.own(make(buffer));
      copy.awaitReady();
      made.push({ what: name, buffer: copy, call, requirement });
    } catch (error) {
      if (!(error instanceof AbsentError || isRefusal(error))) throw error;
    }
  const run = start(context, compileProgram(context, PROGRAM), [[buffer]]);
  for (const event of run.events) event.await();
  for (const [i, output] of run.outputs[0]!.entries())
    made.push({
      what: `output ${i}`,
      buffer: output,
      call: 'PJRT_LoadedExecutable_Execute',
      requirement: 'RUN-OUT-002',
    });
  buffer.destroy();
  await context.yieldToCalls();
  await untilItWaits();
  const free = done.isReady();
  if (free) host.bytes.fill(0x5a);
  for (const { what, buffer: kept, call, requirement } of made)
    same(
      `${what} of a zero-copy buffer that is gone${free ? ', whose host memory was overwritten after its event,' : ''}`,
      data,
      fetchArray(context, kept),
      call,
      requirement,
    );
  if (free) return;
  for (const { buffer: kept } of made) kept.destroy();
  await done.awaitAsync();
  throw new NotSupported(`${TRANSFER}: the host memory is in use until what was made of the buffer is gone`);
});

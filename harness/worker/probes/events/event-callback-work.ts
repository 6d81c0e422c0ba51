import { Buffer } from '../../pjrt/buffer.ts';
import { AbsentError, errorOf } from '../../pjrt/errors.ts';
import type { Event } from '../../pjrt/event.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import { prepareInner } from '../../steps/recorded-callback.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { Watch, watch } from '../../steps/watch.ts';
import { checks, type Run } from '../probe.ts';
import { hashed, same, violated } from '../support/checks.ts';
import { owned, runOnce, sampleInputs } from '../support/sample-run.ts';
import { defaultMemory, send } from '../support/sending.ts';

// A callback starts work on its own thread, which is the one that a plugin's locks and queues may wait for. Nothing that
// it calls waits for work.

const TOKEN = 0x5eed4000n;

/** Completes an event, whose callback makes the calls that were prepared. */
async function inCallback(context: CaseContext, calls: Parameters<typeof watch>[3]): Promise<Watch> {
  const pending = somethingPending(context);
  const seen = watch(context, pending.event, TOKEN, calls);
  await pending.complete();
  await seen.first();
  await context.yieldToCalls();
  return seen;
}

/** By whatever way the plugin has; where nothing can be withheld, an event that may be ready already. */
function somethingPending(context: CaseContext): { event: Event; complete(): void | Promise<void> } {
  for (const via of ['manager', 'alias', 'created'] as const) {
    try {
      return makePending(context, via);
    } catch (error) {
      if (!(error instanceof NotSupported || error instanceof AbsentError)) throw error;
    }
  }
  const { buffer } = send(context, hashed('f32', [65536], 3), 'during-call');
  return { event: context.scope.own(buffer.readyEvent()), complete: () => {} };
}

const execute: Run<object> = async (context) => {
  const program = 'misc/add_one';
  const executable = compileProgram(context, program);
  const inputs = sampleInputs(program);
  const expected = fetchArray(context, runOnce(context, executable, inputs)[0]!);
  const args = inputs.map((input) => startPut(context, input));
  const run = prepareInner(executable.executing(context.arena, [args], { events: true }));
  const { events, outputs } = owned(context, (await inCallback(context, [run])).result(run, 0));
  for (const event of events) await event.awaitAsync();
  same('an output of an execution that a callback started', expected, fetchArray(context, outputs[0]![0]!), EXECUTE);
};
const EXECUTE = 'PJRT_LoadedExecutable_Execute';

const read: Run<object> = async (context) => {
  const data = hashed('f32', [7], 9);
  const { buffer } = send(context, data, 'during-call');
  buffer.awaitReady();
  const reading = prepareInner(buffer.copyingToHost(context.arena, data.bytes.length));
  const { event, take } = (await inCallback(context, [reading])).result(reading, 0);
  await context.scope.own(event).awaitAsync();
  same('what a callback read', data, { ...data, bytes: take() }, READ);
};
const READ = 'PJRT_Buffer_ToHostBuffer';

const refusedRead: Run<object> = async (context) => {
  const { buffer } = send(context, hashed('f32', [7], 9), 'during-call');
  buffer.awaitReady();
  const reading = prepareInner(buffer.copyingTo(context.arena.room(64, 'dst').address, 1));
  const seen = await inCallback(context, [reading]);
  let begun: Event;
  // The refusal may come late.
  const error = errorOf(() => {
    begun = seen.result(reading, 0);
    if (begun.pointer !== 0n) context.scope.own(begun).await();
  });
  if (!error) violated('a read into too small a destination in a callback did not fail', READ, 'BUF-D2H-003');
};

const destroy: Run<object> = async (context) => {
  const { buffer } = send(context, hashed('f32', [7], 9), 'during-call');
  buffer.awaitReady();
  const destroying = prepareInner(context.api.calling('PJRT_Buffer_Destroy', { buffer: buffer.pointer }));
  buffer.disown();
  (await inCallback(context, [destroying])).result(destroying, 0);
};

const copy: Run<object> = async (context) => {
  const data = hashed('f32', [7], 9);
  const { buffer } = send(context, data, 'during-call');
  buffer.awaitReady();
  const own = defaultMemory(context).pointer;
  const other = context.client
    .firstDevice()
    .memories()
    .find(({ pointer }) => pointer !== own);
  if (!other) throw new NotSupported('there is no second memory to copy to');
  const fields = { buffer: buffer.pointer, dst_memory: other.pointer };
  const copying = prepareInner(
    context.api.calling(COPY, fields, (call) => new Buffer(context.api, call.word('dst_buffer'))),
  );
  const made = context.scope.own((await inCallback(context, [copying])).result(copying, 0));
  await context.scope.own(made.readyEvent()).awaitAsync();
  same('a copy that a callback started', data, fetchArray(context, made), COPY);
};
const COPY = 'PJRT_Buffer_CopyToMemory';

/** Two events that are ready call back inside the callback, one inside the other. */
const register: Run<object> = async (context) => {
  const ready = Array.from({ length: 2 }, () => {
    const { done, buffer } = send(context, hashed('f32', [7], 9), 'during-call');
    buffer.awaitReady();
    done.await();
    return done;
  });
  const innermost = new Watch(context);
  const last = prepareInner(innermost.registering(ready[1]!, TOKEN + 2n));
  const inner = new Watch(context, [last]);
  const next = prepareInner(inner.registering(ready[0]!, TOKEN + 1n));
  (await inCallback(context, [next])).result(next, 0);
  await inner.first();
  inner.result(last, 0);
  await innermost.first();
};

/** A callback may start work of any kind on its own thread. */
export const eventCallbackWork = checks(
  'event-callback-work',
  {},
  { execute, read, 'refused-read': refusedRead, destroy, copy, register },
);

import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { hasNativeRecorders } from '../../ffi/native-recorder.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { untilItWaits } from '../../steps/execute.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import { RecordedCallback } from '../../steps/recorded-callback.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { oneOf, optional, probe, type Values } from '../probe.ts';
import { elementwise, hashed, same, violated } from '../support/checks.ts';
import { lentAddress } from '../support/lent-address.ts';
import { owned } from '../support/sample-run.ts';
import { defaultMemory, destroyAsync, send } from '../support/sending.ts';

// What happens when a view no longer needs its memory. The memory is that of another
// buffer, or of the process, where buffers are on the CPU; `end: delete` deletes and then destroys.

const CALL = 'PJRT_Client_CreateViewOfDeviceBuffer';
const ARGUMENT = 0x5eed3000n;
const CONTRACT = 'pjrt.CallbackContract';

const VIEW = {
  from: optional(oneOf('buffer', 'host'), 'buffer'),
  form: optional(oneOf('device', 'memory', 'both'), 'memory'),
  end: optional(oneOf('destroy', 'delete'), 'destroy'),
};
type Options = Values<typeof VIEW>;

/** A view calls back once, with its pointer and argument. */
export const viewCallback = probe('view-callback', VIEW, async (context, options) => {
  const recorder = new RecordedCallback(context, CALL);
  const memory = memoryFor(context, options);
  const view = await viewOf(context, memory, options, recorder.address);
  if (recorder.count() > 0) violated('the delete callback was called while the view is alive', CALL, 'BUF-VIEW-002');
  await release(context, view, options);
  await recorder.fired();
  await checkOwner(context, memory);
  if (recorder.count() !== 1)
    violated(`the delete callback was called ${recorder.count()} times`, CALL, 'BUF-VIEW-002', CONTRACT);
  const [pointer, argument] = recorder.firings()[0]!.arguments;
  if (pointer !== memory.pointer)
    violated('the delete callback got another pointer than the view was made with', CALL, 'BUF-VIEW-002', CONTRACT);
  if (argument !== ARGUMENT)
    violated('the delete callback got another argument than the view was made with', CALL, 'BUF-VIEW-002', CONTRACT);
});

/** A view calls back no earlier than its last use: an execution that waits for another argument, or a reference of another framework. */
export const viewInUse = probe(
  'view-in-use',
  { ...VIEW, by: oneOf('execution', 'reference') },
  async (context, { by, ...options }) => {
    const recorder = new RecordedCallback(context, CALL);
    const memory = memoryFor(context, options);
    const view = await viewOf(context, memory, options, recorder.address);
    const use = by === 'execution' ? await usedByExecution(context, view, memory.data) : usedByReference(view);
    // A reference is given back by the handle, which must be alive for that.
    if (by === 'reference') view.delete();
    else await release(context, view, options);
    await context.yieldToCalls();
    await untilItWaits();
    if (recorder.count() > 0)
      violated(
        `the delete callback was called while the memory is in use by ${use.of}`,
        CALL,
        use.requirement,
        CONTRACT,
      );
    await use.end();
    if (by === 'reference') await release(context, view, { ...options, end: 'destroy' });
    await recorder.fired();
    if (recorder.count() !== 1)
      violated(`the delete callback was called ${recorder.count()} times`, CALL, 'BUF-VIEW-002', CONTRACT);
  },
);

/** @throws NotSupported where an execution waits for its arguments */
async function usedByExecution(context: CaseContext, view: Buffer, data: HostArray) {
  const late = makePending(context, 'manager', { data: hashed('f32', data.shape, 2) });
  const executable = compileProgram(context, 'args/two');
  let returned = false;
  const running = executable.executeAsync(context.arena, [[late.buffer!, view]], { events: true }).finally(() => {
    returned = true;
  });
  running.catch(() => {});
  await context.yieldToCalls();
  await untilItWaits();
  const waits = !returned;
  if (waits) await late.complete();
  const { outputs, events } = owned(context, await running);
  if (waits) throw new NotSupported('an execution waits for its arguments before it returns');
  const end = async (): Promise<void> => {
    await late.complete();
    await events[0]!.awaitAsync();
    const expected = elementwise((a, b) => a - b, late.data, data);
    same('what an execution computed with the view', expected, fetchArray(context, outputs[0]![0]!), CALL);
  };
  return { of: 'an execution', requirement: 'BUF-VIEW-002', end };
}

function usedByReference(view: Buffer) {
  view.addReference();
  return { of: 'a reference from outside', requirement: 'BUF-REF-004', end: async () => view.dropReference() };
}

/** A view without a callback is made and released like any other. */
export const viewWithoutCallback = probe('view-without-callback', VIEW, async (context, options) => {
  const memory = memoryFor(context, options);
  const view = await viewOf(context, memory, options);
  await release(context, view, options);
  await checkOwner(context, memory);
});

interface Viewed {
  data: HostArray;
  owner: Buffer;
  pointer: bigint;
}

function memoryFor(context: CaseContext, options: Options): Viewed {
  const data = hashed('f32', [4]);
  const owner = send(context, data, 'during-call').buffer;
  owner.awaitReady();
  if (options.from !== 'host') return { data, owner, pointer: lentAddress(context, owner) };
  if (!owner.isOnCpu())
    throw new NotSupported('memory of the process is device memory only where buffers are on the CPU');
  return { data, owner, pointer: context.arena.copy(data.bytes, 64).address };
}

async function viewOf(
  context: CaseContext,
  { data, pointer }: Viewed,
  { form }: Options,
  onDelete?: bigint,
): Promise<Buffer> {
  const { api, arena, scope, client } = context;
  const view = scope.own(
    api.invoke(
      CALL,
      (call) => {
        call.setWord('client', client.pointer);
        call.setWord('device_buffer_ptr', pointer);
        call.setWord('dims', arena.int64s(data.shape).address);
        call.setSize('num_dims', data.shape.length);
        call.setInt('element_type', data.dtype.enumValue);
        if (form !== 'memory') call.setWord('device', client.firstDevice().pointer);
        if (form !== 'device') call.setWord('memory', defaultMemory(context).pointer);
        if (onDelete === undefined) return;
        call.setWord('on_delete_callback', onDelete);
        call.setWord('on_delete_callback_arg', ARGUMENT);
      },
      (call) => new Buffer(api, call.word('buffer')),
    ),
  );
  same('the view', data, fetchArray(context, view), CALL);
  await context.yieldToCalls();
  return view;
}

async function release({ api }: CaseContext, view: Buffer, options: Options): Promise<void> {
  if (hasNativeRecorders()) {
    // On this thread, so that what a callback finds changed is seen.
    if (options.end === 'delete') view.delete();
    view.destroy();
    return;
  }
  if (options.end === 'delete')
    await api.invokeAsync('PJRT_Buffer_Delete', (call) => call.setWord('buffer', view.pointer));
  await destroyAsync(view, 'PJRT_Buffer_Destroy', 'buffer');
}

/** The memory is still the owner's. */
async function checkOwner(context: CaseContext, { data, owner }: Viewed): Promise<void> {
  await context.yieldToCalls();
  same('the buffer that owns the memory, after the view is gone', data, fetchArray(context, owner), CALL);
}

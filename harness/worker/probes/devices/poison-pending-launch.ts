import { setTimeout as sleep } from 'node:timers/promises';
import type { Device } from '../../pjrt/device.ts';
import { errorOf, type PjrtError } from '../../pjrt/errors.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import { TransferManager } from '../../pjrt/transfer-manager.ts';
import type { CaseContext } from '../../steps/context.ts';
import { deviceBytes } from '../../steps/device-bytes.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { probe } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { compileFor } from '../support/client-work.ts';
import { owned } from '../support/sample-run.ts';

const FUNCTION = 'PJRT_Device_PoisonExecution';
const EXECUTE = 'PJRT_LoadedExecutable_Execute';
/** For a call that only starts something. */
const PATIENCE_MS = 5000;
const LAUNCH = 8151;
const CODE = 'ABORTED';
const MESSAGE = 'stopped while it waited';
const PAYLOAD = { key: 'conformance', value: 'poisoned' };

/** An execution that waits for its input is poisoned: it ends, with what it was poisoned with. */
export const poisonPendingLaunch = probe('poison-pending-launch', {}, async (context) => {
  const { arena, client, scope } = context;
  const device = client.firstDevice();
  const array = hashed('f32', [4]);
  const bytes = deviceBytes(context, array);
  const executable = scope.own(compileFor(context, client, 'misc/add_one'));
  const manager = scope.own(
    TransferManager.create(client, arena, [{ type: array.dtype.enumValue, dims: [4] }], device.defaultMemory()),
  );
  const input = scope.own(manager.retrieve(0));
  const running = executable.executeAsync(arena, [[input]], { events: true, launchId: LAUNCH });
  try {
    const run = await Promise.race([running, sleep(PATIENCE_MS, undefined, { ref: false })]);
    // XLA's GPU plugins: nothing has been launched yet.
    if (!run) throw new NotSupported(`${EXECUTE} returns only when its arguments are there: no launch waits for them`);
    await poison(context, device);
    const error = errorOf(() => owned(context, run).outputs[0]![0]!.awaitReady());
    if (!error) violated('the output of a poisoned execution became ready without an error', 'PJRT_Buffer_ReadyEvent');
    check(error, hasPayload(context));
  } finally {
    // The input is filled all the same: nothing may wait for it any more, and nothing must leak.
    const done = scope.own(await manager.transfer(0, arena.input(bytes).address, bytes.length, 0, true));
    await done.awaitAsync();
    await running.then(
      (run) => owned(context, run),
      () => {},
    );
  }
});

const hasPayload = ({ api }: CaseContext): boolean => api.struct('PJRT_Device_PoisonExecution_Args').has('payload');

async function poison(context: CaseContext, device: Device): Promise<void> {
  const { api, arena } = context;
  const message = arena.text(MESSAGE);
  const payload = makeNamedValues(api, arena, { [PAYLOAD.key]: { kind: 'string', value: PAYLOAD.value } });
  const poisoned = await api.invokeAsync(
    FUNCTION,
    (call) => {
      call.setWord('device', device.pointer);
      call.setInt('launch_id', LAUNCH);
      call.setInt('error_code', api.abi.enumValues('PJRT_Error_Code').get(`PJRT_Error_Code_${CODE}`)!);
      call.setWord('error_message', message.address);
      call.setSize('error_message_size', message.length);
      if (hasPayload(context)) {
        call.setWord('payload', payload.address);
        call.setSize('num_payload', payload.count);
      }
    },
    (call) => call.byte('poisoned') !== 0,
  );
  if (!poisoned) violated('an execution that was waiting was not poisoned', FUNCTION);
}

function check(error: PjrtError, withPayload: boolean): void {
  const call = 'PJRT_Buffer_ReadyEvent';
  if (error.codeName !== CODE) violated(`the output ended with ${error.codeName}, it was poisoned with ${CODE}`, call);
  if (!error.text.includes(MESSAGE))
    violated('the error of the output does not hold the message of the poisoning', call, undefined, {
      detail: `message: ${error.text}`,
    });
  if (withPayload && !error.payloads.some((p) => p.key === PAYLOAD.key && p.value === PAYLOAD.value))
    violated('the error of the output does not hold the payload of the poisoning', call);
}

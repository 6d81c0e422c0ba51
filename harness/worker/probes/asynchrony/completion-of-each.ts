import type { HostArray } from '../../../knowledge/numerics/array.ts';
import { TransferManager } from '../../pjrt/transfer-manager.ts';
import { deviceBytes } from '../../steps/device-bytes.ts';
import { untilItWaits } from '../../steps/execute.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { number, probe } from '../probe.ts';
import { elementwise, floats, same, violated } from '../support/checks.ts';
import { download } from '../support/client-work.ts';
import { owned } from '../support/sample-run.ts';
import { compileForDevices } from '../support/several-devices.ts';

/** Each replica negates its own argument, without communication. */
const PROGRAM = 'multi/replicas_negate';
const EXECUTE = 'PJRT_LoadedExecutable_Execute';

/**
 * A program runs on several devices, whose arguments are withheld: no device has completed, and no output is ready, before the
 * argument of that device has come. The call may wait for the arguments, and then nothing is proven.
 */
export const completionOfEach = probe('completion-of-each', { devices: number }, async (context, { devices }) => {
  const { arena, client, scope } = context;
  const executable = compileForDevices(context, PROGRAM, { num_replicas: devices });
  const late = executable.addressableDevices().map((pointer, i) => {
    const device = client.addressableDevices().find((one) => one.pointer === pointer)!;
    const array = floats([i + 1, 2, 3, 4]);
    const bytes = deviceBytes(context, array);
    const specs = [{ type: array.dtype.enumValue, dims: array.shape }];
    const manager = scope.own(TransferManager.create(client, arena, specs, device.defaultMemory()));
    const send = async (): Promise<void> => {
      const sent = await manager.transfer(0, arena.input(bytes).address, bytes.length, 0, true);
      await scope.own(sent).awaitAsync();
    };
    return { array, buffer: scope.own(manager.retrieve(0)), send };
  });
  const lists = late.map(({ buffer }) => [buffer]);
  let returned = false;
  const running = executable.executeAsync(arena, lists, { events: true }).finally(() => {
    returned = true;
  });
  await context.yieldToCalls();
  await untilItWaits();
  const atOnce = returned ? owned(context, await running) : undefined;
  const early = (): void => {
    for (const [i, event] of (atOnce?.events ?? []).entries()) {
      if (event.isReady())
        violated(`the event of device ${i} is complete before its argument has come`, EXECUTE, 'RUN-EVT-001');
      if (scope.own(atOnce!.outputs[i]![0]!.readyEvent()).isReady())
        violated(`the output of device ${i} is ready before its argument has come`, EXECUTE, 'BUF-RDY-001');
    }
  };
  try {
    early();
  } finally {
    for (const { send } of late) await send();
  }
  const { events, outputs } = atOnce ?? owned(context, await running);
  for (const event of events) await event.awaitAsync();
  for (const [i, { array }] of late.entries())
    same(`-x on device ${i}`, negated(array), download(arena, outputs[i]![0]!, array), EXECUTE, 'RUN-MUL-001');
  if (!atOnce) throw new NotSupported('an execution waits for its arguments before it returns');
});

const negated = (array: HostArray): HostArray => elementwise((x) => -x, array);

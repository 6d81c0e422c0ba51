import { generate } from '../../numerics/generate.ts';
import { Buffer } from '../../pjrt/buffer.ts';
import { makeExecuteOptions } from '../../pjrt/executable.ts';
import { TransferManager } from '../../pjrt/transfer-manager.ts';
import { compileProgram } from '../../steps/compile.ts';
import { deviceBytes } from '../../steps/device-bytes.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { same } from '../support.ts';
import { defaultMemory, settle } from './support.ts';

const CALL = 'PJRT_LoadedExecutable_Execute';

/** Starts a program on a buffer whose data come later. The call may wait for them, so it is made on another thread. */
export const executeBeforeData: Probe = async (context) => {
  const { api, arena, scope } = context;
  const vector = (of: number[]) =>
    generate({ values: { dtype: 'f32', shape: [4], of } }, () => {
      throw new Error('no reference');
    });
  const data = vector([5, 6, 7, 8]);
  const bytes = deviceBytes(context, data);
  const executable = compileProgram(context, 'misc/add_one');
  const manager = scope.own(
    TransferManager.create(context.client, arena, [{ type: data.dtype.enumValue, dims: [4] }], defaultMemory(context)),
  );
  const input = scope.own(manager.retrieve(0));
  const outputs = arena.pointers([0n]);
  const run = api.invokeAsync(CALL, (call) => {
    call.setWord('executable', executable.pointer);
    call.setWord('options', makeExecuteOptions(api, arena, {}));
    call.setWord('argument_lists', arena.pointers([arena.pointers([input.pointer]).address]).address);
    call.setSize('num_devices', 1);
    call.setSize('num_args', 1);
    call.setWord('output_lists', arena.pointers([outputs.address]).address);
  });
  await settle(context);
  const sent = await manager.transfer(0, arena.input(bytes).address, bytes.length, 0, true);
  await scope.own(sent).awaitAsync();
  await run;
  const output = scope.own(new Buffer(api, outputs.view.getBigUint64(0, true)));
  same('the result', vector([6, 7, 8, 9]), fetchArray(context, output), CALL, 'H2D-RET-001');
};

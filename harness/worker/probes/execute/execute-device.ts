import type { Buffer } from '../../pjrt/buffer.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import { refusal } from '../../steps/outcome.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { flag, probe } from '../probe.ts';
import { filled, violated } from '../support/checks.ts';
import { start } from '../support/sample-run.ts';

const CALL = 'PJRT_LoadedExecutable_Execute';

/**
 * A portable executable runs on each device that is named; one that is bound to a device may refuse
 * another, but if it accepts, the outputs are there and right. Two argument lists with a device are an error.
 */
export const executeDevice = probe('execute-device', { portable: flag }, (context, { portable }) => {
  const devices = context.client.addressableDevices().slice(0, 2);
  const executable = compile();
  const input = filled('f32', [4], 1);
  const named = (i: number) => {
    context.bind(`device${i}`, devices[i]);
    const argument = startPut(context, input, { on: `device${i}` });
    return start(context, executable, [[argument]], { device: devices[i]!.pointer });
  };
  for (const i of devices.keys()) {
    const output = attempt(i);
    if (!output) continue;
    expectArray(context, `the output on device ${i}`, filled('f32', [4], 2), fetchArray(context, output), 'bits');
    if (output.device() !== devices[i]!.pointer) {
      violated(`${CALL} was given device ${i}; its output is on a different device`, CALL, 'RUN-DEV-001');
    }
  }
  const argument = startPut(context, input);
  try {
    start(context, executable, [[argument], [argument]], { events: false, device: devices[0]!.pointer });
  } catch (error) {
    if (error instanceof PjrtError) return;
    throw error;
  }
  violated(
    `${CALL} took two argument lists together with a device to run on`,
    CALL,
    'RUN-DEV-001',
    'pjrt.MissingError',
  );

  function compile() {
    try {
      return compileProgram(context, 'misc/add_one', { portable });
    } catch (error) {
      throw portable ? refusal(error, 'the plugin compiles no portable executables') : error;
    }
  }

  /** The output of a run that was accepted; a device that an executable is not bound to may be refused. */
  function attempt(i: number): Buffer | undefined {
    try {
      const run = named(i);
      for (const event of run.events) event.await();
      return run.outputs[0]![0]!;
    } catch (error) {
      if (error instanceof PjrtError && (!portable || error.codeName === 'UNIMPLEMENTED')) return undefined;
      throw error;
    }
  }
});

import { PjrtError } from '../../pjrt/errors.ts';
import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import { refusal } from '../../steps/outcome.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { flag, probe } from '../probe.ts';
import { filled, violated } from '../support/checks.ts';
import { RawExecution } from './raw-execution.ts';

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
    return new RawExecution(context, executable, [[argument]], { events: true, device: devices[i]!.pointer });
  };
  for (const i of devices.keys()) {
    const run = named(i);
    if (!attempt(run)) continue;
    const output = run.outputs()[0]![0]!;
    expectArray(context, `the output on device ${i}`, filled('f32', [4], 2), fetchArray(context, output), 'bits');
    if (output.device() !== devices[i]!.pointer) {
      violated(`${CALL} was given device ${i}; its output is on a different device`, CALL, 'RUN-DEV-001');
    }
  }
  const argument = startPut(context, input);
  const twice = new RawExecution(context, executable, [[argument], [argument]], { device: devices[0]!.pointer });
  try {
    twice.run();
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

  /** Whether the run was accepted; a device that an executable is not bound to may be refused. */
  function attempt(run: RawExecution): boolean {
    try {
      run.run();
      for (const event of run.completions()) event.await();
      return true;
    } catch (error) {
      if (error instanceof PjrtError && (!portable || error.codeName === 'UNIMPLEMENTED')) return false;
      throw error;
    }
  }
});

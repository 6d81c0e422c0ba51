import { type DecodedCompileOptions, decodeCompileOptions } from '../../programs/compile-options.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { readSerialized } from './read-serialized.ts';

const CALL = 'PJRT_Executable_GetCompileOptions';

/** The options that an executable was compiled with come back with the same replicas, partitions and device. */
export const compileOptionsComeBack: Probe = (context, options) => {
  const device = context.client.addressableDevices().at(-1)!.id();
  const loaded = compileProgram(context, String(options.program), { device_assignment: [device] });
  const executable = context.scope.own(loaded.getExecutable());
  const bytes = readSerialized(context.api, CALL, (call) => call.setWord('executable', executable.pointer));
  const fail = (message: string) => {
    throw new CheckFailure({ type: 'pjrt.AssertionFailed', message: `${CALL} ${message}`, call: CALL });
  };
  let back: DecodedCompileOptions | undefined;
  try {
    back = decodeCompileOptions(bytes);
  } catch (error) {
    fail(`gives what cannot be parsed: ${(error as Error).message}`);
  }
  if (back!.numReplicas !== 1 || back!.numPartitions !== 1)
    fail(`gives ${back!.numReplicas} replicas and ${back!.numPartitions} partitions, compiled for one of each`);
  const assigned = back!.deviceAssignment?.flat();
  if (assigned && String(assigned) !== String(device)) fail(`gives the devices ${assigned}, compiled for ${device}`);
};

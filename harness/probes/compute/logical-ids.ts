import { readInt32s } from '../../pjrt/strings.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';

const CALL = 'PJRT_LoadedExecutable_AddressableDeviceLogicalIds';

/** A logical id for each device of the executable: its replica and its partition, within range and no pair twice. */
export const logicalIds: Probe = (context, options) => {
  const replicas = Number(options.replicas);
  const partitions = Number(options.partitions);
  const executable = compileProgram(context, String(options.program), {
    num_replicas: replicas,
    num_partitions: partitions,
  });
  const ids = context.api.invoke(
    CALL,
    (call) => call.setWord('executable', executable.pointer),
    (call) => {
      const count = call.size('num_addressable_device_logical_ids');
      const words = readInt32s(call.word('addressable_device_logical_ids'), 2 * count);
      return Array.from({ length: count }, (_, i) => ({ replica: words[2 * i]!, partition: words[2 * i + 1]! }));
    },
  );
  const fail = (message: string) => {
    throw new CheckFailure({ type: 'pjrt.AssertionFailed', message: `${CALL} ${message}`, call: CALL });
  };
  const devices = executable.addressableDevices().length;
  if (ids.length !== devices) fail(`gives ${ids.length} ids for ${devices} devices`);
  const outside = ids.find(
    (id) => id.replica < 0 || id.replica >= replicas || id.partition < 0 || id.partition >= partitions,
  );
  if (outside)
    fail(`gives (${outside.replica}, ${outside.partition}) of ${replicas} replicas and ${partitions} partitions`);
  if (new Set(ids.map((id) => `${id.replica},${id.partition}`)).size !== ids.length)
    fail('gives one id for two devices');
};

import { decodeDeviceAssignment } from '../../../knowledge/programs/compile-options.ts';
import { loadProgram } from '../../../knowledge/programs/programs.ts';
import type { Device } from '../../pjrt/device.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { startPut } from '../../steps/transfer.ts';
import { number, probe, program, text } from '../probe.ts';
import { readSerialized } from '../serialization/read-serialized.ts';
import { filled } from '../support/checks.ts';
import { start } from '../support/sample-run.ts';
import { compileForDevices } from '../support/several-devices.ts';

const ASSIGNMENT = 'PJRT_LoadedExecutable_GetDeviceAssignment';
const DEVICES = 'PJRT_LoadedExecutable_AddressableDevices';

/**
 * An executable for devices in a given order: both functions that name its devices report that order, and each output lies
 * on the device whose argument list it came from. `order`: first, last, backwards, or unsaid (the plugin chooses).
 */
export const deviceAssignment = probe(
  'device-assignment',
  { program, replicas: number, partitions: number, order: text },
  (context, { program, replicas, partitions, order }) => {
    const count = replicas * partitions;
    const all = context.client.addressableDevices();
    const wanted = choose(all, count, order);
    const ids = wanted?.map((device) => device.id());
    const executable = compileForDevices(context, program, {
      num_replicas: replicas,
      num_partitions: partitions,
      ...(ids ? { device_assignment: ids } : { unplaced: true }),
    });
    const fail = (message: string, call: string, requirement: string) => {
      throw new CheckFailure({ type: 'pjrt.AssertionFailed', message, call, requirements: [requirement] });
    };
    const actual = executable.addressableDevices().map((pointer) => all.find((device) => device.pointer === pointer));
    if (actual.length !== count)
      fail(`${DEVICES} gives ${actual.length} devices, expected ${count}`, DEVICES, 'LEX-DEV-001');
    const strange = actual.indexOf(undefined);
    if (strange >= 0) fail(`${DEVICES} gives a device that is none of the client's`, DEVICES, 'LEX-DEV-001');
    const actualIds = actual.map((device) => device!.id());
    if (ids && String(actualIds) !== String(ids))
      fail(`${DEVICES} gives the devices ${actualIds}, compiled for ${ids}`, DEVICES, 'LEX-DEV-001');
    if (context.api.has(ASSIGNMENT)) {
      const bytes = readSerialized(context.api, ASSIGNMENT, (call) => call.setWord('executable', executable.pointer));
      if (bytes.length === 0)
        fail(`${ASSIGNMENT} gives nothing for an executable that is not portable`, ASSIGNMENT, 'LEX-ASN-001');
      let rows: number[][] = [];
      try {
        rows = decodeDeviceAssignment(bytes);
      } catch (error) {
        fail(`${ASSIGNMENT} gives what cannot be parsed: ${(error as Error).message}`, ASSIGNMENT, 'LEX-ASN-001');
      }
      if (rows.length !== replicas || rows.some((row) => row.length !== partitions))
        fail(
          `${ASSIGNMENT} gives ${JSON.stringify(rows)} for ${replicas} replicas and ${partitions} partitions`,
          ASSIGNMENT,
          'LEX-ASN-001',
        );
      if (String(rows.flat()) !== String(actualIds))
        fail(`${ASSIGNMENT} gives ${JSON.stringify(rows)}, ${DEVICES} ${actualIds}`, ASSIGNMENT, 'LEX-ASN-001');
    }
    const input = loadProgram(program).inputs[0]!;
    const shape = [input.shape[0]! / partitions];
    const lists = actual.map((device, i) => {
      context.bind(`place${i}`, device);
      return [startPut(context, filled(input.dtype, shape, i + 1), { on: `place${i}` })];
    });
    const run = start(context, executable, lists);
    for (const event of run.events) event.await();
    run.outputs.forEach((outputs, i) => {
      if (outputs[0]!.device() !== actual[i]!.pointer) {
        fail(
          `output list ${i} has a buffer on another device than ${DEVICES} names there`,
          'PJRT_Buffer_Device',
          'CMP-OPT-003',
        );
      }
    });
  },
);

function choose(all: readonly Device[], count: number, order: string): readonly Device[] | undefined {
  if (order === 'first') return all.slice(0, count);
  if (order === 'last') return all.slice(-count);
  if (order === 'backwards') return all.slice(0, count).reverse();
  return undefined;
}

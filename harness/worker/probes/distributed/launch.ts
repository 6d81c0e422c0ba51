import { fromValues, isHostArray, reader } from '../../../knowledge/numerics/array.ts';
import { decode } from '../../../knowledge/numerics/codec.ts';
import { dtype } from '../../../knowledge/numerics/dtypes.ts';
import { here } from '../../pjrt/calls.ts';
import type { Client } from '../../pjrt/client.ts';
import { LoadedExecutable } from '../../pjrt/executable.ts';
import { compile } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { violated } from '../support/checks.ts';
import type { Launch, NodeOutput } from './node-tasks.ts';

const F32 = dtype('f32');
const DEVICES_OF = 'PJRT_LoadedExecutable_AddressableDevices';

/** Compiles a program for devices of several processes and runs the part of this one. @returns what its devices computed */
export function launch(context: CaseContext, client: Client, what: Launch): NodeOutput[] {
  const { program, replicas, assignment } = what;
  try {
    here(
      compile(context, {
        verb: 'compile',
        as: 'program',
        ...(typeof program === 'string' ? { program } : { text: program.text }),
        options: { num_replicas: replicas, device_assignment: assignment },
      }),
    );
    const executable = context.resolveAs('$program', LoadedExecutable, 'a loaded executable');
    const devices = ownDevices(client, executable, assignment);
    const args = devices.map((device) => {
      const replica = assignment.indexOf(device.id);
      context.bind('place', device.device);
      return [startPut(context, fromValues(F32, what.shape, what.inputs[replica]!), { on: '$place' })];
    });
    const { outputs, events } = executable.execute(context.arena, args, { events: true });
    for (const output of outputs.flat()) context.scope.own(output);
    for (const event of events) context.scope.own(event).await();
    return outputs.map(([output], i) => ({
      device: devices[i]!.id,
      values: valuesOf(fetchArray(context, output!)),
    }));
  } finally {
    context.scope.dispose((error) => {
      throw error;
    });
    context.arena.release();
  }
}

/** The devices of the client that take part, in the order of the executable. */
function ownDevices(client: Client, executable: LoadedExecutable, assignment: readonly number[]) {
  const own = new Map(client.addressableDevices().map((device) => [device.pointer, { device, id: device.id() }]));
  const expected = [...own.values()].filter(({ id }) => assignment.includes(id)).map(({ id }) => id);
  const listed = executable.addressableDevices().map((pointer) => own.get(pointer));
  const ids = listed.map((device) => device?.id);
  if (ids.length !== expected.length || expected.some((id) => !ids.includes(id)))
    violated(
      `of the devices ${assignment.join(', ')} this client addresses ${expected.join(', ')}, but the executable lists ${ids.map((id) => id ?? 'one of another client').join(', ')}`,
      DEVICES_OF,
    );
  return listed.map((device) => device!);
}

function valuesOf(array: unknown): number[] {
  if (!isHostArray(array)) return [];
  const bits = reader(array);
  const count = array.bytes.length / array.dtype.hostBytes;
  return Array.from({ length: count }, (_, i) => Number(decode(array.dtype, bits(i))));
}

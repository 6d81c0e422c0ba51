import { decodeCompileOptions } from '../../../knowledge/programs/compile-options.ts';
import { onDevices } from '../../../knowledge/programs/placed-options.ts';
import { ProgramError } from '../../../knowledge/programs/program.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import { DEVICE_ID, DEVICE_NUMBERS, LOOKED_UP } from '../../../knowledge/trace/identifying-calls.ts';
import type { Call } from '../../pjrt/call.ts';
import type { ReturnedArguments } from './returned.ts';
import { Unresolved } from './session-objects.ts';

/** Numbers of devices, which each plugin chooses: what one was answered for a device there means what it is answered here. */
export class DeviceIds {
  /** By the function that answers with them. */
  readonly #known = new Map<string, Map<number, number>>();

  /** A call has returned. */
  learn(name: string, recorded: RecordedStruct, here: ReturnedArguments): void {
    const field = DEVICE_NUMBERS[name];
    if (field === undefined) return;
    const ids = this.#known.get(name) ?? new Map<number, number>();
    this.#known.set(name, ids);
    // Those of the client's devices are asked first; a topology may list them in another order.
    const id = recorded.number(field);
    if (!ids.has(id)) ids.set(id, Number(BigInt.asIntN(32, here.word(field))));
  }

  /** Puts this plugin's numbers into arguments that were written as recorded. @throws Unresolved if it has no such device */
  translate(name: string, from: RecordedStruct, call: Call): void {
    const asked = LOOKED_UP[name];
    if (asked) call.setInt(asked.field, this.#here(asked.as, from.number(asked.field)));
  }

  /** Compile options for the devices of this plugin; as they are, if they name none, or are of another format. @throws Unresolved */
  options(given: Uint8Array): Uint8Array {
    try {
      const { deviceAssignment } = decodeCompileOptions(given);
      if (!deviceAssignment) return given;
      const id = (one: number): number => this.#here(DEVICE_ID, one);
      return onDevices(
        given,
        deviceAssignment.map((row) => row.map(id)),
      );
    } catch (error) {
      if (error instanceof ProgramError) return given;
      throw error;
    }
  }

  /** Where no number was asked for, the recorded one is all that there is. */
  #here(as: string, recorded: number): number {
    const ids = this.#known.get(as);
    if (!ids) return recorded;
    const id = ids.get(recorded);
    if (id === undefined) {
      const why = `the plugin has no device that stands for device ${recorded}`;
      throw new Unresolved(why, { why });
    }
    return id;
  }
}

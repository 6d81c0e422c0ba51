/** The calls that say which device or memory is meant, so that another plugin's can stand for it. */
import type { StructLayout } from '../abi/index.ts';
import { decodeCompileOptions } from '../programs/compile-options.ts';
import { ProgramError } from '../programs/program.ts';
import { givenObjects, wordAt } from './given-structs.ts';
import type { ObjectAt } from './objects-of.ts';
import type { ObservedCall, ReturnedCall } from './observed-call.ts';

/** Which calls have answered by what a plugin's own memories and devices are found: the kind of a memory, the numbers of a device. */
export class IdentifyingCalls {
  readonly #answered = new Map<string, number>();

  neededBy({ function: name, before, layout, memory }: ObservedCall, given: readonly ObjectAt[]): number[] {
    const asked = new Set<string>();
    for (const { type, at } of given) {
      if (type === 'PJRT_Memory') asked.add(`PJRT_Memory_Kind ${at}`);
      if (type === 'PJRT_Device') asked.add(ADDRESSABLE);
    }
    const number = LOOKED_UP[name];
    if (number) asked.add(`${number.as} ${numberIn(before, layout, number.field)}`);
    if (name === 'PJRT_Client_Compile')
      for (const id of assigned(memory, before, layout)) asked.add(`${DEVICE_ID} ${id}`);
    return [...asked].flatMap((one) => this.#answered.get(one) ?? []);
  }

  learn(call: ReturnedCall): void {
    const { function: name, after, layout, entered } = call;
    const field = DEVICE_NUMBERS[name];
    if (call.error !== 0n) return;
    if (field !== undefined) this.#first(`${name} ${numberIn(after, layout, field)}`, entered);
    if (name === ADDRESSABLE) this.#first(name, entered);
    const [memory] = givenObjects(call);
    if (name === 'PJRT_Memory_Kind' && memory) this.#first(`${name} ${memory.at}`, entered);
    // Its memories are gone.
    if (name === 'PJRT_Client_Destroy') this.#answered.clear();
  }

  #first(what: string, order: number): void {
    if (!this.#answered.has(what)) this.#answered.set(what, order);
  }
}

const ADDRESSABLE = 'PJRT_Client_AddressableDevices';
/** The number that compile options have. */
export const DEVICE_ID = 'PJRT_DeviceDescription_Id';
/** Answers that are numbers of devices, by function: the field that has it. */
export const DEVICE_NUMBERS: Readonly<Record<string, string>> = {
  [DEVICE_ID]: 'id',
  PJRT_Device_LocalHardwareId: 'local_hardware_id',
};
/** Questions with such a number: the field, and the function that answers with it. */
export const LOOKED_UP: Readonly<Record<string, { field: string; as: string }>> = {
  PJRT_Client_LookupDevice: { field: 'id', as: DEVICE_ID },
  PJRT_Client_LookupAddressableDevice: { field: 'local_hardware_id', as: 'PJRT_Device_LocalHardwareId' },
};

function numberIn(bytes: Uint8Array, layout: StructLayout, field: string): number | undefined {
  const { offset } = layout.field(field);
  return offset + 4 > bytes.length ? undefined : new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset, true);
}

/** Numbers of the devices for which a program is compiled. */
function assigned(memory: ObservedCall['memory'], bytes: Uint8Array, layout: StructLayout): number[] {
  const options = memory(wordAt(bytes, layout.field('compile_options').offset));
  try {
    return options ? (decodeCompileOptions(options).deviceAssignment ?? []).flat() : [];
  } catch (error) {
    if (error instanceof ProgramError) return [];
    throw error;
  }
}

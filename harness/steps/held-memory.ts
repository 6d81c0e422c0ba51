import { readBytes } from '../ffi/memory.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import type { Call } from '../pjrt/call.ts';
import { CheckFailure } from './outcome.ts';

const POINTER_BYTES = 8;

/** Memory of the plugin that an answer was read from, and what lay there. */
export interface HeldMemory {
  call: string;
  field: string;
  address: bigint;
  bytes: Uint8Array;
}

/** The string or array behind an output field of a call; undefined if the type of the field is neither. */
export function heldMemory({ pluginAbi }: PjrtApi, call: Call, name: string): HeldMemory | undefined {
  const { base, depth, count, size } = call.layout.field(name);
  if (size !== POINTER_BYTES || count === undefined || call.layout.field(count).depth > 0) return undefined;
  const address = call.word(name);
  // A NULL pointer is an answer too, with nothing behind it that could change.
  if (address === 0n) return { call: call.name, field: name, address, bytes: new Uint8Array() };
  const length = call.count(name) * (depth > 1 ? POINTER_BYTES : pluginAbi.sizeOf(base).size);
  return { call: call.name, field: name, address, bytes: readBytes(address, length) };
}

/**
 * Memory that an answer was read from holds what it held then: it belongs to an object that is alive.
 * @throws CheckFailure
 */
export function checkUnchanged({ call, field, address, bytes }: HeldMemory): void {
  if (address === 0n || Buffer.compare(readBytes(address, bytes.length), bytes) === 0) return;
  throw new CheckFailure({
    type: 'pjrt.AssertionFailed',
    message: `the memory of the ${field} that ${call} returned was overwritten while its owner was alive`,
    call,
  });
}

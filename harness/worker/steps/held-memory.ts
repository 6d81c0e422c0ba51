import { readBytes } from '../ffi/memory.ts';
import type { PjrtApi } from '../pjrt/api.ts';
import type { Call } from '../pjrt/call.ts';
import { CheckFailure } from './outcome.ts';

const POINTER_BYTES = 8;

/** Memory that must keep what lay there: of the plugin, from which an answer was read, or lent to the plugin. */
export interface HeldMemory {
  call: string;
  /** For messages, with the verb: `the memory of the dims that … returned was overwritten`. */
  violated: string;
  address: bigint;
  bytes: Uint8Array;
}

/** The string or array behind an output field of a call; undefined if the type of the field is neither. */
export function heldMemory({ pluginAbi }: PjrtApi, call: Call, name: string): HeldMemory | undefined {
  const { base, depth, count, size } = call.layout.field(name);
  if (size !== POINTER_BYTES || count === undefined || call.layout.field(count).depth > 0) return undefined;
  const address = call.word(name);
  // A NULL pointer is an answer too, with nothing behind it that could change.
  const violated = `the memory of the ${name} that ${call.name} returned was overwritten while its owner was alive`;
  if (address === 0n) return { call: call.name, violated, address, bytes: new Uint8Array() };
  const length = call.count(name) * (depth > 1 ? POINTER_BYTES : pluginAbi.sizeOf(base).size);
  return { call: call.name, violated, address, bytes: readBytes(address, length) };
}

/**
 * Memory holds what it held: it belongs to an object that is alive, or may only be read.
 * @throws CheckFailure
 */
export function checkUnchanged({ call, violated, address, bytes }: HeldMemory): void {
  if (address === 0n || Buffer.compare(readBytes(address, bytes.length), bytes) === 0) return;
  throw new CheckFailure({ type: 'pjrt.AssertionFailed', message: violated, call });
}

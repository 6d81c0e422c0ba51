import { readBytes } from '../ffi/memory.ts';
import type { Call } from '../pjrt/call.ts';
import { countField } from '../pjrt/counts.ts';
import { CheckFailure } from './outcome.ts';

/** Memory of the plugin that an answer was read from, and what lay there. */
export interface HeldMemory {
  call: string;
  field: string;
  address: bigint;
  bytes: Uint8Array;
}

/** The string or array that an output field of a call points to; undefined if it points to none. */
export function heldMemory(call: Call, name: string, structSize: (struct: string) => number): HeldMemory | undefined {
  const field = call.layout.field(name);
  const address = field.size === 8 ? call.word(name) : 0n;
  const length = bytesBehind(call, field, structSize);
  if (length === undefined || address === 0n) return undefined;
  return { call: call.name, field: name, address, bytes: readBytes(address, length) };
}

/**
 * Memory that an answer was read from holds what it held then: it belongs to an object that is alive.
 * @throws CheckFailure
 */
export function checkUnchanged({ call, field, address, bytes }: HeldMemory): void {
  if (Buffer.compare(readBytes(address, bytes.length), bytes) === 0) return;
  throw new CheckFailure({
    type: 'pjrt.AssertionFailed',
    message: `the memory of the ${field} that ${call} returned was overwritten while its owner was alive`,
    call,
  });
}

function bytesBehind(
  call: Call,
  { name, type }: { name: string; type: string },
  structSize: (struct: string) => number,
): number | undefined {
  const counter = countField(call.layout, name);
  if (counter === undefined) return undefined;
  const count = call.size(counter);
  if (/^const char\s*\*$/.test(type)) return count;
  if (/PJRT_NamedValue\s*\*$/.test(type)) return count * structSize('PJRT_NamedValue');
  if (/int64_t\s*\*$/.test(type) || /\*\s*(const\s*)?\*$/.test(type)) return count * 8;
  return undefined;
}

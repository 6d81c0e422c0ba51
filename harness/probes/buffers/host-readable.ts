import { readBytes } from '../../ffi/memory.ts';
import { fromBytes } from '../../numerics/array.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, option, same, send } from './support.ts';

/**
 * Where PJRT_Buffer_IsOnCpu says so, the buffer's address can be read by the process, and the array is there.
 * @throws NotSupported where it says otherwise
 */
export const hostReadable: Probe = (context, options) => {
  const data = hashed(option(options, 'dtype', 'f32'), option(options, 'shape', [3, 7]));
  const { buffer } = send(context, data, 'during-call');
  buffer.awaitReady();
  if (!buffer.isOnCpu()) throw new NotSupported('PJRT_Buffer_IsOnCpu says that buffers are not on the CPU');
  const pointer = buffer.unsafePointer();
  if (pointer === 0n) broken('the address of a ready buffer is 0', 'PJRT_Buffer_UnsafePointer', 'BUF-META-011');
  const there = fromBytes(data.dtype, data.shape, readBytes(pointer, data.bytes.length));
  same("the memory at the buffer's address", data, there, 'PJRT_Buffer_UnsafePointer', 'BUF-META-010');
};

import { readBytes } from '../../ffi/memory.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, hashed, option, send } from './support.ts';

/**
 * Memory with external references stays where it is and keeps its contents, also when the buffer is deleted; many other
 * buffers of its size are made meanwhile. Options: `references`, `delete` (false: the buffer just lives on).
 */
export const heldMemory: Probe = (context, options) => {
  const references = option(options, 'references', 2);
  const data = hashed('f32', [1024]);
  const { buffer } = send(context, data, 'during-call');
  buffer.awaitReady();
  if (!buffer.isOnCpu()) throw new NotSupported('the memory of buffers is not the memory of this process');
  for (let i = 0; i < references; i++) buffer.addReference();
  const pointer = buffer.opaquePointer();
  const whole = () => {
    const now = readBytes(pointer, data.bytes.length);
    return data.bytes.every((b, i) => now[i] === b);
  };
  const churn = () => {
    for (let i = 0; i < 16; i++) {
      const other = send(context, hashed('f32', [1024], 100 + i), 'during-call');
      other.done.destroy();
      other.buffer.destroy();
    }
  };
  if (option(options, 'delete', true)) buffer.delete();
  for (let left = references; left > 0; left--) {
    churn();
    if (!whole())
      broken(
        `memory with ${left} external references has changed`,
        'PJRT_Buffer_IncreaseExternalReferenceCount',
        'BUF-REF-001',
      );
    buffer.dropReference();
  }
};

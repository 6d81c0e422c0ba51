import { dtype } from '../knowledge/numerics/dtypes.ts';
import { Arena } from './ffi/memory.ts';
import { type Client, SEMANTICS } from './pjrt/client.ts';
import type { Handle } from './pjrt/handle.ts';

/** A plugin on which anything can be tested holds one of these. */
const TYPES = ['f32', 's32', 'bf16', 'u8'];
/** Ordinary values in each of the types. */
const BYTES = Uint8Array.of(0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0x40);

/**
 * Whether a client still transfers to its first device and back. After an error some devices refuse everything until they are
 * reset: a case that expects an error would then pass for the wrong reason.
 */
export const isHealthy = (client: Client): boolean => TYPES.some((name) => transfers(client, name));

function transfers(client: Client, name: string): boolean {
  const { enumValue, hostBytes } = dtype(name);
  const arena = new Arena();
  const handles: Handle[] = [];
  try {
    const input = arena.input(BYTES);
    const { buffer, done } = client.bufferFromHost(arena, {
      data: input.address,
      type: enumValue,
      dims: [BYTES.length / hostBytes],
      semantics: SEMANTICS['until-transfer-completes'],
      device: client.firstDevice().pointer,
    });
    handles.push(buffer, done);
    done.await();
    const arrived = buffer.toHost(arena, BYTES.length);
    return BYTES.every((byte, i) => arrived[i] === byte);
  } catch {
    return false;
  } finally {
    for (const handle of handles.reverse()) {
      try {
        handle.destroy();
      } catch {
        handle.disown();
      }
    }
    arena.release();
  }
}

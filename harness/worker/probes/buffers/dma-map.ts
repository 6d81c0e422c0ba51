import { mapPages } from '../../ffi/libc.ts';
import { viewMemory } from '../../ffi/memory.ts';
import { SEMANTICS } from '../../pjrt/client.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { number, optional, probe } from '../probe.ts';
import { hashed, same } from '../support/checks.ts';

const BYTES = 1 << 20;

/** Maps page-aligned host memory for transfers, sends from it, and unmaps it. Option `times`. */
export const dmaMap = probe('dma-map', { times: optional(number, 1) }, async (context, { times }) => {
  const { api, client, scope, arena } = context;
  const data = hashed('f32', [4096]);
  const { address } = mapPages(BYTES);
  const memory = new Uint8Array(viewMemory(address, BYTES).buffer, 0, BYTES);
  memory.set(data.bytes);
  memory.set(hashed('f32', [4096], 2).bytes, 3 * data.bytes.length);
  for (let i = 0; i < times; i++) {
    api.invoke('PJRT_Client_DmaMap', (call) => {
      call.setWord('client', client.pointer);
      call.setWord('data', address);
      call.setSize('size', BYTES);
    });
    // From its beginning, and from within.
    for (const [array, offset] of [
      [data, 0],
      [hashed('f32', [4096], 2), 3 * data.bytes.length],
    ] as const) {
      const { buffer, done } = client.bufferFromHost(arena, {
        data: address + BigInt(offset),
        type: array.dtype.enumValue,
        dims: array.shape,
        semantics: SEMANTICS['until-transfer-completes'],
        device: client.firstDevice().pointer,
      });
      scope.own(buffer);
      scope.own(done);
      await done.awaitAsync();
      const what = `a buffer made from mapped memory, ${offset} bytes from its beginning,`;
      same(what, array, fetchArray(context, buffer), 'PJRT_Client_DmaMap');
      buffer.destroy();
    }
    api.invoke('PJRT_Client_DmaUnmap', (call) => {
      call.setWord('client', client.pointer);
      call.setWord('data', address);
    });
  }
});

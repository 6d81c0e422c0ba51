import { mapPages } from '../../ffi/libc.ts';
import { viewMemory } from '../../ffi/memory.ts';
import { SEMANTICS } from '../../pjrt/client.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { hashed, option, same } from '../support/checks.ts';

const BYTES = 1 << 20;

/** Maps page-aligned host memory for transfers, sends from it, and unmaps it. Option `times`. */
export const dmaMap: Probe = async (context, options) => {
  const { api, client, scope, arena } = context;
  const data = hashed('f32', [4096]);
  const { address } = mapPages(BYTES);
  new Uint8Array(viewMemory(address, BYTES).buffer, 0, BYTES).set(data.bytes);
  for (let i = 0; i < option(options, 'times', 1); i++) {
    api.invoke('PJRT_Client_DmaMap', (call) => {
      call.setWord('client', client.pointer);
      call.setWord('data', address);
      call.setSize('size', BYTES);
    });
    const { buffer, done } = client.bufferFromHost(arena, {
      data: address,
      type: data.dtype.enumValue,
      dims: data.shape,
      semantics: SEMANTICS['until-transfer-completes'],
      device: client.addressableDevices()[0]!.pointer,
    });
    scope.own(buffer);
    scope.own(done);
    await done.awaitAsync();
    same('a buffer made from mapped memory', data, fetchArray(context, buffer), 'PJRT_Client_DmaMap');
    buffer.destroy();
    api.invoke('PJRT_Client_DmaUnmap', (call) => {
      call.setWord('client', client.pointer);
      call.setWord('data', address);
    });
  }
};

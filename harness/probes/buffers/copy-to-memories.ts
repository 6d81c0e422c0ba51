import { Buffer } from '../../pjrt/buffer.ts';
import { ifOffered } from '../../steps/device-format.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { broken, defaultMemory, hashed, option, same, send } from './support.ts';

const CALL = 'PJRT_Buffer_CopyToMemory';

/** Copies a buffer to every other memory of the client and from there to the next one. Messages name list positions. */
export const copyToMemories: Probe = (context, options) => {
  const { api, client } = context;
  const data = hashed(option(options, 'dtype', 'f32'), [17, 5]);
  let source = send(context, data, 'during-call').buffer;
  source.awaitReady();
  // A copy to where the buffer is may be refused, so one of the two has to say where that is.
  const home = ifOffered(() => source.memory()) ?? defaultMemory(context).pointer;
  for (const [i, memory] of client.addressableMemories().entries()) {
    if (memory.pointer === home) continue;
    const copy = api.invoke(
      CALL,
      (call) => {
        call.setWord('buffer', source.pointer);
        call.setWord('dst_memory', memory.pointer);
      },
      (call) => context.scope.own(new Buffer(api, call.word('dst_buffer'))),
    );
    if ((ifOffered(() => copy.memory()) ?? memory.pointer) !== memory.pointer)
      broken(`the copy to memory ${i} says that it is in another memory`, 'PJRT_Buffer_Memory', 'BUF-META-009');
    if (!memory.devices().includes(copy.device()))
      broken(`the copy to memory ${i} is on a device that cannot reach it`, 'PJRT_Buffer_Device', 'BUF-CPY-003');
    same(`the copy to memory ${i}`, data, fetchArray(context, copy), CALL, 'BUF-CPY-003');
    source = copy;
  }
};

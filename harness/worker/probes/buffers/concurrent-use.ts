import { hostDestination } from '../../pjrt/buffer.ts';
import { errorOfAsync } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import type { Probe } from '../../steps/steps.ts';
import { hashed, option, violated } from '../support.ts';
import { send } from './support.ts';

type Use = (context: Context, buffer: Buffer, contents: Uint8Array) => Promise<void>;

/** One buffer used by several threads at once. Options: `threads`, `rounds`. */
const concurrently =
  (use: Use): Probe =>
  async (context, options) => {
    const data = hashed('f32', option(options, 'shape', [4096]));
    const { buffer } = send(context, data, 'until-transfer-completes');
    const rounds = option(options, 'rounds', 25);
    await Promise.all(
      Array.from({ length: option(options, 'threads', 4) }, async () => {
        for (let i = 0; i < rounds; i++) await use(context, buffer, data.bytes);
      }),
    );
  };

export const sharedReads = concurrently(read);
export const sharedReadyEvents = concurrently(ready);

type Context = Parameters<Probe>[0];
type Buffer = ReturnType<typeof send>['buffer'];

async function ready({ api }: Context, buffer: Buffer): Promise<void> {
  const event = await api.invokeAsync(
    'PJRT_Buffer_ReadyEvent',
    (call) => call.setWord('buffer', buffer.pointer),
    (call) => new Event(api, call.word('event')),
  );
  const status = await errorOfAsync(event.awaitAsync());
  event.destroy();
  if (status) violated(`one of many ready events ended in ${status.codeName}`, 'PJRT_Buffer_ReadyEvent', 'BUF-RDY-004');
}

async function read({ api, arena }: Context, buffer: Buffer, expected: Uint8Array): Promise<void> {
  const room = hostDestination(arena, expected.length);
  const event = await api.invokeAsync(
    'PJRT_Buffer_ToHostBuffer',
    (call) => {
      call.setWord('src', buffer.pointer);
      call.setWord('dst', room.address);
      call.setSize('dst_size', expected.length);
    },
    (call) => new Event(api, call.word('event')),
  );
  const status = await errorOfAsync(event.awaitAsync());
  event.destroy();
  if (status) violated(`one of many reads ended in ${status.codeName}`, 'PJRT_Buffer_ToHostBuffer', 'BUF-D2H-012');
  if (expected.some((b, i) => room.bytes[i] !== b))
    violated('one of many reads of the same buffer gave different bytes', 'PJRT_Buffer_ToHostBuffer', 'BUF-D2H-012');
}

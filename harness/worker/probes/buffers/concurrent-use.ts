import { hostDestination } from '../../pjrt/buffer.ts';
import { errorOfAsync } from '../../pjrt/errors.ts';
import { Event } from '../../pjrt/event.ts';
import type { CaseContext } from '../../steps/context.ts';
import { list, number, optional, probe, type Values } from '../probe.ts';
import { hashed, violated } from '../support/checks.ts';
import { send } from '../support/sending.ts';

type Use = (context: CaseContext, buffer: Buffer, contents: Uint8Array) => Promise<void>;

const SHARED = { shape: optional(list(number), [4096]), rounds: optional(number, 25), threads: optional(number, 4) };

/** One buffer used by several threads at once. */
const concurrently =
  (use: Use) =>
  async (context: CaseContext, { shape, rounds, threads }: Values<typeof SHARED>): Promise<void> => {
    const data = hashed('f32', shape);
    const { buffer } = send(context, data, 'until-transfer-completes');
    await Promise.all(
      Array.from({ length: threads }, async () => {
        for (let i = 0; i < rounds; i++) await use(context, buffer, data.bytes);
      }),
    );
  };

/** Several threads read one buffer at once. */
export const sharedReads = probe('shared-reads', SHARED, concurrently(read));
/** Several threads ask for the ready event of one buffer at once. */
export const sharedReadyEvents = probe('shared-ready-events', SHARED, concurrently(ready));

type Buffer = ReturnType<typeof send>['buffer'];

async function ready({ api }: CaseContext, buffer: Buffer): Promise<void> {
  const event = await api.invokeAsync(
    'PJRT_Buffer_ReadyEvent',
    (call) => call.setWord('buffer', buffer.pointer),
    (call) => new Event(api, call.word('event')),
  );
  const status = await errorOfAsync(event.awaitAsync());
  event.destroy();
  if (status) violated(`one of many ready events ended in ${status.codeName}`, 'PJRT_Buffer_ReadyEvent', 'BUF-RDY-004');
}

async function read({ api, arena }: CaseContext, buffer: Buffer, expected: Uint8Array): Promise<void> {
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

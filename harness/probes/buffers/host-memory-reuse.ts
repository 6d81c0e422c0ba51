import type { SEMANTICS } from '../../pjrt/client.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { broken, destroyAsync, hashed, option, same, send } from './support.ts';

const GARBAGE = 0x5a;

/**
 * Overwrites host memory as soon as the semantics allow it; the buffer must not notice. With the zero-copy semantics
 * that is when the event comes, at the latest after the buffer is gone, and until then nobody writes to the memory.
 * Options: `semantics`, `dtype`, `shape`, `misalign` (bytes by which the data lie off a multiple of 64).
 */
export const hostMemoryReuse: Probe = async (context, options) => {
  const semantics = option<keyof typeof SEMANTICS>(options, 'semantics', 'during-call');
  const data = hashed(option(options, 'dtype', 'f32'), option(options, 'shape', [65536]), 3);
  const call = 'PJRT_Client_BufferFromHostBuffer';
  const { buffer, done, host } = send(context, data, semantics, { misalign: option(options, 'misalign', 0) });
  if (semantics === 'until-transfer-completes') await done.awaitAsync();
  const keeps = semantics === 'zero-copy' || semantics === 'mutable-zero-copy';
  const released = !keeps || done.isReady();
  const unwritten = (): void => {
    if (semantics !== 'mutable-zero-copy' && Buffer.compare(host.bytes, data.bytes) !== 0)
      broken('the plugin wrote into host memory that it may only read', call, 'BUF-HOST-018');
  };
  unwritten();
  if (released) host.bytes.fill(GARBAGE);
  same(
    released ? 'the buffer, after its host memory was released and overwritten' : 'the buffer',
    data,
    fetchArray(context, buffer),
    call,
    { 'during-call': 'BUF-HOST-013', 'until-transfer-completes': 'BUF-HOST-015' }[semantics as string],
  );
  if (!released) unwritten();
  await destroyAsync(buffer, 'PJRT_Buffer_Destroy', 'buffer');
  // Never ready is a hang, which the deadline of the case ends.
  await done.awaitAsync();
  if (!released) unwritten();
};

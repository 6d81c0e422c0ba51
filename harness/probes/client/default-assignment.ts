import { POISON } from '../../pjrt/buffer.ts';
import { compareCanary, fillCanary } from '../../pjrt/canary.ts';
import type { Probe } from '../../steps/steps.ts';
import { broken, errorOf, option } from './support.ts';

const FUNCTION = 'PJRT_Client_DefaultDeviceAssignment';
/** Bytes behind the room that must stay untouched, far enough to see a whole row of ids. */
const MARGIN = 4096;

/**
 * Asks for one replica of some partitions in a room of a known size: exactly the ids that were asked for are written, they
 * are devices of the client, and distinct as far as devices go.
 * @param options `partitions`: a number, or `all`: as many as there are devices, and `excess` more
 */
export const defaultAssignment: Probe = (context, options) => {
  const ids = context.client.devices().map((d) => d.id());
  const wanted = options.partitions === 'all' ? ids.length + option(options, 'excess', 0) : Number(options.partitions);
  const room = option(options, 'room', wanted);
  const block = context.arena.alloc(room * 4 + MARGIN, 16);
  block.bytes.fill(POISON);
  fillCanary(block, room * 4);

  const error = errorOf(() =>
    context.api.invoke(FUNCTION, (call) => {
      call.setWord('client', context.client.pointer);
      call.setInt('num_replicas', 1);
      call.setInt('num_partitions', wanted);
      call.setSize('default_assignment_size', room);
      call.setWord('default_assignment', block.address);
    }),
  );
  const asked = `${FUNCTION} of one replica of ${wanted} partitions in room for ${room} ids`;
  if (!compareCanary(block, room * 4))
    broken(`${asked} wrote past the room`, FUNCTION, undefined, { type: 'pjrt.MemoryOverrun' });
  // More participants than devices may be refused.
  if (error && wanted > ids.length) return;
  if (error) throw error;

  const written = [...new Int32Array(block.bytes.slice(0, wanted * 4).buffer)];
  const poison = new Int32Array(new Uint8Array(4).fill(POISON).buffer)[0]!;
  if (written.includes(poison)) broken(`${asked} did not write all ${wanted} ids`, FUNCTION, 'CLI-DDA-001');
  if (block.bytes.subarray(wanted * 4, room * 4).some((b) => b !== POISON))
    broken(`${asked} wrote more than ${wanted} ids`, FUNCTION, 'CLI-DDA-001');
  const unknown = written.filter((id) => !ids.includes(id));
  const level = { level: 'should' } as const;
  if (unknown.length > 0)
    broken(
      `${asked} gave ids that no device has; first ${unknown[0]}`,
      FUNCTION,
      wanted > ids.length ? 'CLI-DDA-006' : 'CLI-DDA-005',
      level,
    );
  if (wanted <= ids.length && new Set(written).size !== written.length)
    broken(`${asked} gave a device twice although there are ${ids.length}`, FUNCTION, 'CLI-DDA-005', level);
};

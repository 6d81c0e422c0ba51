import type { NamedRecord } from '../../../knowledge/trace/named-records.ts';
import type { RecordedSession } from '../../../knowledge/trace/sessions.ts';
import { readBytes } from '../../ffi/memory.ts';
import type { Replaying } from './replaying.ts';
import type { PairedObject } from './returned.ts';

/** The objects that a call has returned are those that it returned when it was recorded. */
export function bindObjects(replaying: Replaying, { record, name }: NamedRecord, pairs: readonly PairedObject[]): void {
  const { objects, tally } = replaying;
  for (const { field, recorded, here } of byKind(replaying, pairs)) {
    if (here !== 0n) {
      demandSame(replaying, record.of, name, { field, recorded, here });
      objects.bind(recorded, { type: field.base, pointer: here, destroyer: field.destroy });
      continue;
    }
    objects.lose(field.base, recorded, { why: `the plugin has fewer of what ${name} lists` });
    // A list of the plugin's own may be shorter here.
    if (field.count !== undefined && field.depth === 2 && !field.given && !field.inOut) continue;
    const message = `call ${record.of} of the recording gave ${field.name}, and here it is NULL`;
    tally.wrong({ type: 'pjrt.Replay', message, call: name, requirements: ['RPL-CALL-001'] });
  }
}

/** A device that an object is said to be on is the one that stands for the recorded one. */
function demandSame(
  { objects, tally }: Replaying,
  order: number,
  call: string,
  { field, recorded, here }: Pick<PairedObject, 'field' | 'recorded' | 'here'>,
): void {
  if (field.base !== 'PJRT_Device' || field.depth !== 1 || !objects.has(field.base, recorded)) return;
  if (objects.pointer(field.base, recorded) === here) return;
  const message = `call ${order} of the recording gave a device, and here ${field.name} is another one`;
  tally.wrong({ type: 'pjrt.Replay', message, call, requirements: ['RPL-FACT-001'] });
}

/** Memories, and devices of several processes, are listed in any order: the first of a kind is the first of that kind here, and so on. */
function byKind(replaying: Replaying, pairs: readonly PairedObject[]): readonly PairedObject[] {
  const kinds = pairs.length > 1 ? KINDS[pairs[0]!.field.base] : undefined;
  if (!kinds) return pairs;
  const here = pairs[0]!.among.flatMap((here) => (here === 0n ? [] : [{ here, kind: kinds.here(replaying, here) }]));
  return pairs.map((pair) => {
    const kind = kinds.recorded(replaying.session, pair.recorded);
    const at = kind === undefined ? -1 : here.findIndex((one) => one.kind === kind);
    if (kind === undefined) return pair;
    return { ...pair, here: at < 0 ? 0n : here.splice(at, 1)[0]!.here };
  });
}

/** What distinguishes objects of a type, in the recording and here. */
const KINDS: Readonly<
  Record<
    string,
    {
      recorded(session: RecordedSession, address: bigint): string | undefined;
      here(replaying: Replaying, pointer: bigint): string;
    }
  >
> = {
  PJRT_Memory: {
    recorded: ({ memoryKinds }, address) => memoryKinds.get(address),
    here: ({ context }, memory) =>
      context.api.invoke('PJRT_Memory_Kind', { memory }, (call) =>
        Buffer.from(readBytes(call.word('kind'), call.size('kind_size'))).toString(),
      ),
  },
  PJRT_Device: {
    recorded: ({ addressable }, address) => (addressable.size === 0 ? undefined : String(addressable.has(address))),
    here: ({ context }, device) =>
      String(context.api.invoke('PJRT_Device_IsAddressable', { device }, (call) => call.byte('is_addressable') !== 0)),
  },
};

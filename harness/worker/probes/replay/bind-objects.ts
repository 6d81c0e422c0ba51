import type { NamedRecord } from '../../../knowledge/trace/named-records.ts';
import { readBytes } from '../../ffi/memory.ts';
import type { Replaying } from './replaying.ts';
import type { PairedObject } from './returned.ts';

/** The objects that a call has returned are those that it returned when it was recorded. */
export function bindObjects(replaying: Replaying, { record, name }: NamedRecord, pairs: readonly PairedObject[]): void {
  const { objects, tally } = replaying;
  for (const { field, recorded, here } of byKind(replaying, pairs)) {
    if (here !== 0n) {
      objects.bind(recorded, { type: field.base, pointer: here, destroyer: field.destroy });
      continue;
    }
    objects.lose(field.base, recorded, `the plugin has fewer of what ${name} lists`);
    // A list of the plugin's own may be shorter here.
    if (field.count !== undefined && field.depth === 2 && !field.given && !field.inOut) continue;
    const message = `call ${record.of} of the recording gave ${field.name}, and here it is NULL`;
    tally.wrong({ type: 'pjrt.Replay', message, call: name, requirements: ['RPL-CALL-001'] });
  }
}

/** Memories are listed in any order: what has the recorded kind is the same one. */
function byKind({ context, session }: Replaying, pairs: readonly PairedObject[]): readonly PairedObject[] {
  if (pairs.length < 2 || pairs[0]!.field.base !== 'PJRT_Memory') return pairs;
  const kindOf = (memory: bigint): string =>
    context.api.invoke('PJRT_Memory_Kind', { memory }, (call) =>
      Buffer.from(readBytes(call.word('kind'), call.size('kind_size'))).toString(),
    );
  const kinds = pairs.flatMap(({ here }) => (here === 0n ? [] : [{ here, kind: kindOf(here) }]));
  return pairs.map((pair) => {
    const kind = session.memoryKinds.get(pair.recorded);
    return kind === undefined ? pair : { ...pair, here: kinds.find((one) => one.kind === kind)?.here ?? 0n };
  });
}

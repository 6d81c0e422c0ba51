import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import type { NamedRecord } from '../../../knowledge/trace/named-records.ts';
import type { CompiledForms } from './compiled-forms.ts';
import { SAME } from './policy.ts';
import type { Replaying } from './replaying.ts';
import type { ReturnedArguments } from './returned.ts';

/** Compares answers that do not depend on the plugin. */
export class Answers {
  readonly #replaying: Replaying;
  readonly #forms: CompiledForms;
  /** Recorded addresses of buffers that the caller has deleted. */
  readonly deleted = new Set<bigint>();
  /** Recorded addresses of events for which was waited. */
  readonly ready = new Set<bigint>();

  constructor(replaying: Replaying, forms: CompiledForms) {
    this.#replaying = replaying;
    this.#forms = forms;
  }

  /** Another object is at this address. */
  begins(address: bigint): void {
    this.deleted.delete(address);
    this.ready.delete(address);
  }

  /** Compares what a call has returned. */
  compare({ record, name }: NamedRecord, recorded: RecordedStruct, here: ReturnedArguments): void {
    const { context, tally } = this.#replaying;
    if (name === 'PJRT_Event_IsReady' && this.ready.has(recorded.word('event')) && here.word('is_ready') === 0n) {
      const message = `call ${record.of} of the recording: the event is not ready, for which an earlier call has waited`;
      tally.wrong({ type: 'pjrt.Replay', message, call: name, requirements: ['RPL-EVT-001'] });
    }
    for (const field of SAME[name] ?? []) {
      if (!recorded.has(field) || !here.layout.has(field)) continue;
      const known = recorded.layout.field(field);
      const then = known.depth === 0 ? recorded.slice(known) : (recorded.at(recorded.word(field))?.data ?? NOTHING);
      const each = known.depth === 0 ? 0 : (context.api.abi.integerBytes(known.base) ?? 8);
      const now = here.value(here.layout.field(field), each) ?? NOTHING;
      if (then.equals(now) || (field === 'is_deleted' && this.#mayLive(recorded, then))) continue;
      if (field.startsWith('dim') && this.#forms.isAboutPieces(name, recorded)) {
        tally.leavesOut(`${name} of arrays that the compiler cuts in another way`);
        continue;
      }
      const message = `call ${record.of} of the recording: ${field} is ${plain(now, each)}, and was ${plain(then, each)}`;
      tally.wrong({ type: 'pjrt.Replay', message, call: name, requirements: ['RPL-FACT-001'] });
    }
  }

  /** A plugin that takes no argument over leaves what was given to it: only what its caller has deleted must be. */
  #mayLive = (recorded: RecordedStruct, then: Buffer): boolean =>
    then[0] !== 0 && recorded.has('buffer') && !this.deleted.has(recorded.word('buffer'));
}

const NOTHING = Buffer.alloc(0);

/** A number, or the numbers of an array. */
function plain(bytes: Buffer, each: number): string {
  if (each === 8 || bytes.length === 8)
    return Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readBigInt64LE(8 * i)).join(', ') || 'empty';
  if (bytes.length === 4) return String(bytes.readInt32LE(0));
  return bytes.length === 1 ? String(bytes[0]) : `0x${bytes.toString('hex')}`;
}

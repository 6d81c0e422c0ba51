import { dtypeOfEnum } from '../../../knowledge/numerics/dtypes.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import type { NamedRecord } from '../../../knowledge/trace/named-records.ts';
import { Arena } from '../../ffi/memory.ts';
import { answerOf } from '../../steps/outcome.ts';
import type { CompiledForms } from './compiled-forms.ts';
import { SAME } from './policy.ts';
import { bufferAt, errorFrom, type Replaying } from './replaying.ts';
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

  /** An event for which was waited is ready. */
  demandReady(order: number, call: string, isReady: boolean | undefined): void {
    if (isReady !== false) return;
    const message = `call ${order} of the recording: an event for which was waited is not ready`;
    this.#replaying.tally.wrong({ type: 'pjrt.Replay', message, call, requirements: ['RPL-EVT-001'] });
  }

  /** Compares what a call has returned. */
  compare({ record, name }: NamedRecord, recorded: RecordedStruct, here: ReturnedArguments): void {
    const { context, tally } = this.#replaying;
    if (name === 'PJRT_Event_IsReady' && this.ready.has(recorded.word('event')))
      this.demandReady(record.of, name, here.word('is_ready') !== 0n);
    for (const field of SAME[name] ?? []) {
      if (!recorded.has(field) || !here.layout.has(field)) continue;
      const known = recorded.layout.field(field);
      const then = known.depth === 0 ? recorded.slice(known) : (recorded.at(recorded.word(field))?.data ?? NOTHING);
      const each = known.depth === 0 ? 0 : (context.api.abi.integerBytes(known.base) ?? 8);
      const now = here.value(here.layout.field(field), each) ?? NOTHING;
      if (then.equals(now)) continue;
      if (field === 'is_deleted' && this.#mayLive(recorded, then)) {
        this.#demandReadable(record.of, name, recorded.word('buffer'));
        continue;
      }
      if (field.startsWith('dim') && this.#forms.isAboutPieces(name, recorded)) {
        tally.leavesOut(`${name} of arrays that the compiler cuts in another way`);
        continue;
      }
      const message = `call ${record.of} of the recording: ${field} is ${plain(now, each)}, and was ${plain(then, each)}`;
      tally.wrong({ type: 'pjrt.Replay', message, call: name, requirements: ['RPL-FACT-001'] });
    }
  }

  /** What is not deleted can be read. */
  #demandReadable(order: number, call: string, address: bigint): void {
    const arena = new Arena({ guardsInputs: true });
    const buffer = bufferAt(this.#replaying, address);
    const error = errorFrom(() => {
      const each = dtypeOfEnum(buffer.elementType())?.hostBytes;
      const size = buffer.dimensions().reduce((product, one) => product * one, each ?? 0);
      if (each !== undefined) buffer.toHost(arena, size);
    });
    arena.release();
    if (!error) return;
    const message = `call ${order} of the recording: a buffer that was given away is not deleted, and cannot be read: ${answerOf(error)}`;
    this.#replaying.tally.wrong({ type: 'pjrt.Replay', message, call, requirements: ['RPL-FACT-001'] });
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

import { dtypeOfEnum } from '../../../knowledge/numerics/dtypes.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import { contentsIn, dataIn, executableIn } from '../../../knowledge/trace/bodies.ts';
import type { NamedRecord } from '../../../knowledge/trace/named-records.ts';
import { Arena, readBytes } from '../../ffi/memory.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { answerOf } from '../../steps/outcome.ts';
import type { CompiledForms } from './compiled-forms.ts';
import { ContentsJudge } from './contents.ts';
import type { KnownContents } from './known-contents.ts';
import { MADE_OF } from './policy.ts';
import type { RecordedInputs } from './recorded-inputs.ts';
import { awaitEvent, bufferAt, type Replaying } from './replaying.ts';
import type { PairedObject, ReturnedArguments } from './returned.ts';

/** A read whose data is compared when the caller knows that it is there. */
interface PendingRead {
  /** Recorded address of its event. */
  event: bigint;
  destination: bigint;
  size: number;
  source: bigint;
  arena: Arena;
}

/** A call that has returned. */
interface Returned {
  /** What it gave when it was recorded. */
  recorded: RecordedStruct;
  /** What it was given then. */
  from: RecordedStruct;
  here: ReturnedArguments;
  pairs: readonly PairedObject[];
  /** Memory that it has written to. */
  arena: Arena;
}

/** The fields of functions that read into memory of the caller. */
const READS: Readonly<Record<string, { source: string; size: string }>> = {
  PJRT_Buffer_ToHostBuffer: { source: 'src', size: 'dst_size' },
  PJRT_Buffer_CopyRawToHost: { source: 'buffer', size: 'transfer_size' },
};

/** What buffers hold, beside what they held when the session was recorded. */
export class SessionContents {
  readonly #replaying: Replaying;
  readonly #forms: CompiledForms;
  readonly #judge: ContentsJudge;
  readonly #reads = new Map<number, PendingRead>();
  /** Results are recorded before the call that gave them has returned: by the order of that call. */
  readonly #early = new Map<number, NamedRecord[]>();
  /** Names of programs, by the recorded address of the loaded executable. */
  readonly #programs = new Map<bigint, string>();
  readonly #known: KnownContents;
  readonly #inputs: RecordedInputs;
  /** Executions: the program, and whether their arguments are the recorded ones. */
  readonly #executions = new Map<number, { program: string; same: boolean }>();

  constructor(replaying: Replaying, forms: CompiledForms, known: KnownContents, inputs: RecordedInputs) {
    this.#inputs = inputs;
    this.#replaying = replaying;
    this.#forms = forms;
    this.#known = known;
    this.#judge = new ContentsJudge(replaying.context);
  }

  /** The recorder has asked what an executable is called. */
  named({ record }: NamedRecord): void {
    const { loaded, name } = executableIn(record);
    if (name !== '') this.#programs.set(loaded, name);
  }

  /** An object is at this address now. */
  begins = (address: bigint): void => this.#known.forget(address);

  /** A call has returned. */
  returned({ record: { of }, name }: NamedRecord, { recorded, from, here, pairs, arena }: Returned): void {
    const origin = MADE_OF[name];
    if (origin?.of !== undefined) this.#known.copy(recorded.word(origin.of), recorded.word(origin.buffer));
    else if (origin) this.#known.setSame(recorded.word(origin.buffer));
    if (name === 'PJRT_LoadedExecutable_Execute') this.#executed(of, from, pairs);
    const read = READS[name];
    const destination = here.word('dst');
    if (!read || destination === 0n || recorded.word('event') === 0n) return;
    const [event, source] = [recorded.word('event'), recorded.word(read.source)];
    this.#reads.set(of, { event, destination, size: recorded.number(read.size), source, arena });
  }

  #executed(order: number, from: RecordedStruct, pairs: readonly PairedObject[]): void {
    const given = from.words(from.word('argument_lists')).flatMap((list) => from.words(list));
    const same = given.every(this.#known.isSame);
    this.#executions.set(order, { program: this.#programs.get(from.word('executable')) ?? 'a program', same });
    // What becomes of results is known when their contents are read.
    for (const { field, recorded: buffer } of pairs) if (field.base === 'PJRT_Buffer') this.#known.forget(buffer);
  }

  /** Before an event is destroyed, the reads that it is of must be complete. */
  completeReads(event: bigint): void {
    for (const read of this.#reads.values()) if (read.event === event) awaitEvent(this.#replaying, event);
  }

  /** Whether memory is to be compared yet. */
  isRead = (arena: Arena): boolean => [...this.#reads.values()].some((read) => read.arena === arena);

  /** The caller has learned that a read is complete. */
  read({ record }: NamedRecord): void {
    const read = this.#reads.get(record.of);
    const memory = dataIn(record);
    this.#reads.delete(record.of);
    const recorded = memory && this.#replaying.trace.bytesOf(memory);
    if (!read || !recorded || awaitEvent(this.#replaying, read.event)) return;
    if (!this.#replaying.objects.has('PJRT_Buffer', read.source)) return;
    const here = readBytes(read.destination, read.size);
    const what = `what call ${record.of} of the recording has read`;
    const call = 'PJRT_Buffer_ToHostBuffer';
    const isSame = this.#known.isSame(read.source);
    const isRead = this.#known.isRead(read.source, recorded, here);
    if (isRead !== undefined) {
      this.#judge.compareRead(isRead, { what, call });
      return;
    }
    const type = bufferAt(this.#replaying, read.source).elementType();
    const each = dtypeOfEnum(type)?.hostBytes ?? 0;
    const dims = [each === 0 ? read.size : read.size / each];
    this.#judge.compare({ what, call, type, dims, recorded, here, sameInputs: isSame, isCopy: isSame });
  }

  /** Contents of a buffer. @param isEarly whether the call that they belong to has yet to return */
  contents(named: NamedRecord, isEarly: boolean): void {
    const { of } = named.record;
    if (isEarly) this.#early.set(of, [...(this.#early.get(of) ?? []), named]);
    else this.#compare(named);
  }

  /** A call has returned with what was recorded of its results. */
  compareResults(order: number): void {
    for (const contents of this.#early.get(order) ?? []) this.#compare(contents);
    this.#early.delete(order);
  }

  #compare({ record }: NamedRecord): void {
    const { buffer, role, index, device, type, dims, data } = contentsIn(record);
    const recorded = data && this.#replaying.trace.bytesOf(data);
    if (role === 'argument' || !recorded || !this.#replaying.objects.has('PJRT_Buffer', buffer)) return;
    const execution = this.#executions.get(record.of);
    const isCopy = role === 'view' && this.#known.isSame(buffer);
    const sameInputs = isCopy || (role === 'result' && (execution?.same ?? false));
    const on = device > 0 ? ` on device ${device}` : '';
    const what =
      role === 'view'
        ? `what the caller looked at in call ${record.of}`
        : `${role} ${index} of ${execution?.program ?? 'a program'}${on} (execution at ${record.of})`;
    if (role === 'result' && this.#forms.isCutOtherwise(buffer, dims)) {
      // A caller goes by the pieces that it had.
      if (!this.#inputs.exchange(buffer, { type, dims }, recorded)) throw this.#forms.otherCut(what);
      this.#forms.hasRecorded(buffer);
      this.#replaying.tally.cut += 1;
      return;
    }
    const here = this.#elements(buffer, recorded.length, what);
    const call = 'PJRT_LoadedExecutable_Execute';
    if (!here) return;
    const isRead = role === 'view' ? this.#known.isRead(buffer, recorded, here) : undefined;
    if (isRead !== undefined) this.#judge.compareRead(isRead, { what, call });
    else if (this.#judge.compare({ what, call, type, dims, recorded, here, sameInputs, isCopy }))
      this.#known.setSame(buffer);
    else if (role === 'result') this.#known.setDrifted(buffer, recorded, here);
  }

  #elements(buffer: bigint, size: number, what: string): Uint8Array | undefined {
    const arena = new Arena({ guardsInputs: true });
    try {
      return bufferAt(this.#replaying, buffer).toHost(arena, size);
    } catch (error) {
      if (!(error instanceof PjrtError)) throw error;
      const { call, codeName: code } = error;
      const message = `${what} cannot be read: ${answerOf(error)}`;
      this.#replaying.tally.wrong({ type: 'pjrt.Replay', message, call, code, requirements: ['RPL-DATA-001'] });
      return undefined;
    } finally {
      arena.release();
    }
  }

  summary = (): string[] => this.#judge.summary();
}

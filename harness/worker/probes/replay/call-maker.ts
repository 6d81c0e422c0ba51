import { basename } from 'node:path';
import type { Field } from '../../../knowledge/abi/index.ts';
import type { RecordedStruct } from '../../../knowledge/trace/arguments.ts';
import { digestOf } from '../../../knowledge/trace/digest.ts';
import type { Memory } from '../../../knowledge/trace/format.ts';
import type { NamedRecord } from '../../../knowledge/trace/named-records.ts';
import { Arena, readBytes } from '../../ffi/memory.ts';
import type { Call } from '../../pjrt/call.ts';
import { AbsentError, type PjrtError } from '../../pjrt/errors.ts';
import { makeNamedValues } from '../../pjrt/named-values.ts';
import { DeviceIds } from './device-ids.ts';
import { beginCall, errorFrom, finishCall, type Replaying } from './replaying.ts';
import { ReturnedArguments } from './returned.ts';
import { ON_READY, type SessionCallbacks } from './session-callbacks.ts';
import { type Lack, Unresolved } from './session-objects.ts';
import { writeArguments } from './write-arguments.ts';

/** A call that has been made. */
export interface Made {
  /** What it was given when it was recorded. */
  from: RecordedStruct;
  arguments: ReturnedArguments;
  error: PjrtError | undefined;
  /** Memory that it was given. */
  arena: Arena;
}

/** Makes recorded calls with arguments of this process. */
export class CallMaker {
  readonly #replaying: Replaying;
  readonly ids = new DeviceIds();
  readonly #callbacks: SessionCallbacks;
  /** Executables that were serialized here, by the name of the recorded bytes. */
  readonly #serialized = new Map<string, Uint8Array>();

  constructor(replaying: Replaying, callbacks: SessionCallbacks) {
    this.#replaying = replaying;
    this.#callbacks = callbacks;
  }

  /** @param before what must be done when the arguments are there */
  make(named: NamedRecord, from: RecordedStruct, before: () => void): Made | Lack {
    const { context, tally } = this.#replaying;
    const { name } = named;
    const arena = new Arena({ guardsInputs: true });
    let call: Call | undefined;
    try {
      const made = beginCall(context, name);
      call = made;
      this.#write(named, made, from, arena);
      before();
      tally.issued += 1;
      let error = errorFrom(() => made.run());
      if (error && this.#refusesOptions(name, made)) {
        tally.leavesOut('options of the recorded plugin, which this one refuses');
        made.set({ create_options: 0, num_options: 0 });
        error = errorFrom(() => made.run());
      }
      if (error) this.#callbacks.refused(named.record.order);
      return { from, arguments: new ReturnedArguments(made.layout, made.bytes), error, arena };
    } catch (error) {
      arena.release();
      if (error instanceof AbsentError) {
        tally.lacks(name, error);
        return { why: error.message, cause: error };
      }
      if (!(error instanceof Unresolved)) throw error;
      const { message: why, lack } = error;
      tally.notMade(name, why, lack);
      return { ...lack, why };
    } finally {
      context.instrument.breadcrumb?.idle();
      if (call) finishCall(context, name, call);
    }
  }

  #write(named: NamedRecord, call: Call, from: RecordedStruct, arena: Arena): void {
    const { context, objects, session, tally } = this.#replaying;
    const { record, name, minor } = named;
    const options = from.layout.has('compile_options') ? from.memory('compile_options') : undefined;
    const given = options && this.#bytesOf(options);
    const placed = given && this.ids.options(given);
    writeArguments(
      {
        api: context.api,
        arena,
        objects,
        minor: minor!,
        bytesOf: (memory) => (memory === options ? placed : this.#bytesOf(memory)),
        leftOut: tally.leavesOut,
        callback: (field) => this.#callback(name, field, { order: record.order, event: from.word('event') }),
        userArgument: name === ON_READY ? BigInt(record.order) : 0n,
        roomFor: () => session.results.get(record.order),
      },
      call.layout,
      call.bytes,
      from,
    );
    if (placed) call.setSize('compile_options_size', placed.length);
    this.ids.translate(name, from, call);
    const { options: create } = context.subjects[0]!.setup;
    if (name !== 'PJRT_Client_Create' || Object.keys(create).length === 0) return;
    const own = makeNamedValues(context.api, arena, create);
    call.set({ create_options: own.address, num_options: own.count });
  }

  /** Options of another plugin mean nothing to this one, which may be made without any. */
  #refusesOptions(name: string, call: Call): boolean {
    const { context, session } = this.#replaying;
    return (
      name === 'PJRT_Client_Create' &&
      call.word('num_options') !== 0n &&
      Object.keys(context.subjects[0]!.setup.options).length === 0 &&
      basename(session.path) !== basename(context.plugin.path)
    );
  }

  /** What was serialized here stands for what was serialized there. */
  #bytesOf(memory: Memory): Uint8Array | undefined {
    const key = nameOf(memory);
    return (key === undefined ? undefined : this.#serialized.get(key)) ?? this.#replaying.trace.bytesOf(memory);
  }

  /** An executable has been serialized. */
  serialized(recorded: RecordedStruct, here: ReturnedArguments): void {
    const memory = recorded.memory('serialized_bytes');
    const key = memory && nameOf(memory);
    const size = Number(here.word('serialized_bytes_size'));
    if (key !== undefined) this.#serialized.set(key, readBytes(here.word('serialized_bytes'), size));
  }

  #callback(name: string, field: Field, { order, event }: { order: number; event: bigint }): bigint {
    if (name !== ON_READY) {
      this.#replaying.tally.leavesOut(`the callback ${field.name}`);
      return 0n;
    }
    return this.#callbacks.give(order, event);
  }
}

const nameOf = ({ name, data }: Memory): string | undefined => name ?? (data && digestOf(data));

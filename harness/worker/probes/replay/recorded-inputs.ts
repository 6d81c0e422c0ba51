import type { Contents } from '../../../knowledge/trace/bodies.ts';
import { Arena } from '../../ffi/memory.ts';
import type { Buffer as DeviceBuffer } from '../../pjrt/buffer.ts';
import { Client, SEMANTICS } from '../../pjrt/client.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import { ifOffered, reportedOrder } from '../../steps/device-format.ts';
import type { KnownContents } from './known-contents.ts';
import { bufferAt, type Replaying } from './replaying.ts';

/**
 * Gives executions the arguments that they had when they were recorded: what an earlier one computed within the accuracy profile would
 * otherwise drift from one to the next, until nothing could be said of the results.
 */
export class RecordedInputs {
  readonly #replaying: Replaying;
  readonly #known: KnownContents;
  /** External references to buffers, which keep those that have them from being exchanged. */
  readonly #references = new Map<bigint, number>();

  constructor(replaying: Replaying, known: KnownContents) {
    this.#replaying = replaying;
    this.#known = known;
  }

  /** A caller has taken a reference, or given one back. */
  referred(buffer: bigint, by: 1 | -1): void {
    this.#references.set(buffer, (this.#references.get(buffer) ?? 0) + by);
  }

  /** Another buffer is at this address. */
  begins = (buffer: bigint): void => void this.#references.delete(buffer);

  /** An execution is about to have these arguments. */
  restore(given: readonly Contents[]): void {
    for (const argument of given) {
      const { buffer, data } = argument;
      if (this.#known.isSame(buffer) || !this.#replaying.objects.has('PJRT_Buffer', buffer)) continue;
      const recorded = data && this.#replaying.trace.bytesOf(data);
      if (recorded) this.#restore(argument, recorded);
    }
  }

  #restore({ buffer, type, dims }: Contents, recorded: Uint8Array): void {
    const arena = new Arena({ guardsInputs: true });
    try {
      const old = bufferAt(this.#replaying, buffer);
      if (String(old.dimensions()) !== String(dims)) return;
      const here = old.toHost(arena, recorded.length);
      if (Buffer.compare(recorded, here) === 0) this.#known.setSame(buffer);
      else if ((this.#references.get(buffer) ?? 0) === 0) this.#exchange(arena, buffer, { type, dims }, recorded);
    } catch (error) {
      // The execution shows what is wrong with it.
      if (!(error instanceof PjrtError)) throw error;
    } finally {
      arena.release();
    }
  }

  /** Puts a new buffer in the place of one. */
  #exchange(arena: Arena, at: bigint, { type, dims }: Pick<Contents, 'type' | 'dims'>, recorded: Uint8Array): void {
    const { context, objects, tally } = this.#replaying;
    const { api } = context;
    const pointer = objects.only('PJRT_Client');
    if (pointer === undefined) return;
    const client = new Client(api, pointer);
    client.keep();
    const old = bufferAt(this.#replaying, at);
    const { buffer, done } = client.bufferFromHost(arena, {
      ...{ data: arena.input(recorded).address, type, dims },
      semantics: SEMANTICS['during-call'],
      device: old.device(),
      ...(api.has('PJRT_Buffer_Memory') && { memory: old.memory() }),
    });
    buffer.keep();
    try {
      done.await();
    } finally {
      done.destroy();
    }
    const form = (one: DeviceBuffer): string => JSON.stringify(ifOffered(() => reportedOrder(context, one)));
    if (form(buffer) !== form(old)) {
      buffer.destroy();
      return;
    }
    objects.bind(at, { type: 'PJRT_Buffer', pointer: buffer.pointer, destroyer: 'PJRT_Buffer_Destroy' });
    this.#known.setSame(at);
    tally.restored += 1;
    old.destroy();
  }
}

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
      else if (this.exchange(buffer, { type, dims }, recorded)) this.#replaying.tally.restored += 1;
    } catch (error) {
      // The execution shows what is wrong with it.
      if (!(error instanceof PjrtError)) throw error;
    } finally {
      arena.release();
    }
  }

  /** Puts a new buffer with recorded contents in the place of one. @returns whether that could be done */
  exchange(at: bigint, array: Pick<Contents, 'type' | 'dims'>, recorded: Uint8Array): boolean {
    const { context, objects } = this.#replaying;
    if ((this.#references.get(at) ?? 0) > 0) return false;
    const arena = new Arena({ guardsInputs: true });
    try {
      const old = bufferAt(this.#replaying, at);
      const made = this.#upload(arena, old, array, recorded);
      const form = (one: DeviceBuffer): string => JSON.stringify(ifOffered(() => reportedOrder(context, one)));
      if (!made || form(made) !== form(old)) {
        made?.destroy();
        return false;
      }
      objects.bind(at, { type: 'PJRT_Buffer', pointer: made.pointer, destroyer: 'PJRT_Buffer_Destroy' });
      this.#known.setSame(at);
      old.destroy();
      return true;
    } catch (error) {
      if (error instanceof PjrtError) return false;
      throw error;
    } finally {
      arena.release();
    }
  }

  /** A buffer where another one is; undefined if there is more than one client. */
  #upload(
    arena: Arena,
    old: DeviceBuffer,
    { type, dims }: Pick<Contents, 'type' | 'dims'>,
    recorded: Uint8Array,
  ): DeviceBuffer | undefined {
    const { context, objects } = this.#replaying;
    const pointer = objects.only('PJRT_Client');
    if (pointer === undefined) return undefined;
    const client = new Client(context.api, pointer);
    client.keep();
    const { buffer, done } = client.bufferFromHost(arena, {
      ...{ data: arena.input(recorded).address, type, dims },
      semantics: SEMANTICS['during-call'],
      device: old.device(),
      ...(context.api.has('PJRT_Buffer_Memory') && { memory: old.memory() }),
    });
    buffer.keep();
    try {
      done.await();
    } finally {
      done.destroy();
    }
    return buffer;
  }
}

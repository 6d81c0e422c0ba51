import { digestOf } from '../../../knowledge/trace/digest.ts';

/** Contents that are others here than in the recording: digests of both. */
interface Drifted {
  recorded: string;
  here: string;
}

/** What is known of the contents of buffers, by the addresses that they had when they were recorded. */
export class KnownContents {
  readonly #at = new Map<bigint, 'same' | Drifted>();

  /** Whether a buffer has what it had when it was recorded, bit by bit. */
  isSame = (buffer: bigint): boolean => this.#at.get(buffer) === 'same';

  setSame = (buffer: bigint): void => void this.#at.set(buffer, 'same');

  setDrifted(buffer: bigint, recorded: Uint8Array, here: Uint8Array): void {
    this.#at.set(buffer, { recorded: digestOf(recorded), here: digestOf(here) });
  }

  /** A buffer is made of another one. */
  copy(from: bigint, to: bigint): void {
    const known = this.#at.get(from);
    if (known) this.#at.set(to, known);
    else this.#at.delete(to);
  }

  forget = (buffer: bigint): void => void this.#at.delete(buffer);

  /**
   * Whether a read of drifted contents gives what the buffer has here; undefined if that is not known, or something else was read
   * there, such as a part.
   */
  isRead(buffer: bigint, recorded: Uint8Array, here: Uint8Array): boolean | undefined {
    const known = this.#at.get(buffer);
    if (known === undefined || known === 'same' || known.recorded !== digestOf(recorded)) return undefined;
    return known.here === digestOf(here);
  }
}

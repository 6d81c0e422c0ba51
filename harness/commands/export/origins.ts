/** Where an address comes from, as an expression in C, and the call that gives it. */
interface Origin {
  text: string;
  /** Its number; undefined for what no call gives. */
  call: number | undefined;
}

/** Memory of the caller. */
interface Span {
  from: bigint;
  to: bigint;
  name: string;
}

/** Smaller numbers are sizes and the like. */
const LEAST_ADDRESS = 65536n;

/** What is known of addresses, so that a program can have the same by other means. */
export class Origins {
  #answers = new Map<bigint, Origin>();
  /** Objects that the caller must end, and has not: where they come from, if a call has given the same address once more. */
  readonly #owned = new Map<bigint, Origin[]>();
  #spans: Span[] = [];

  /** An answer holds an address: the first that does so is kept, unless the object is a new one. */
  answered(address: bigint, text: string, call: number, isNew: boolean): void {
    if (address < LEAST_ADDRESS) return;
    if (isNew || !this.#answers.has(address)) this.#answers.set(address, { text, call });
  }

  /** An answer holds an object that the caller must end. */
  gave(address: bigint, text: string, call: number): void {
    const known = this.#answers.get(address);
    const same = this.#owned.get(address);
    if (same && known) same.push(known);
    else this.#owned.set(address, []);
    this.answered(address, text, call, true);
  }

  /** Whether several objects that have not ended have this address, so that it does not say which is meant. */
  isShared = (address: bigint): boolean => (this.#owned.get(address)?.length ?? 0) > 0;

  /** An object has ended: what has its address still is the one that was given before it. With a client all of its objects end. */
  ended(address: bigint, withAll: boolean): void {
    const before = this.#owned.get(address)?.pop();
    if (before) this.#answers.set(address, before);
    else this.#owned.delete(address);
    if (withAll) this.#owned.clear();
  }

  /** Something of the caller lies there. */
  placed(address: bigint, size: number, name: string): void {
    const to = address + BigInt(size);
    this.#spans = this.#spans.filter((span) => span.to <= address || span.from >= to);
    this.#spans.push({ from: address, to, name });
  }

  /** What is known now. @returns to be called where only that is known again, as behind a block of C */
  remember(): () => void {
    const [answers, spans] = [new Map(this.#answers), this.#spans];
    return () => {
      this.#answers = answers;
      this.#spans = spans;
    };
  }

  /** How C has this address; undefined if nothing recorded has given it. */
  of(address: bigint): Origin | undefined {
    if (address < LEAST_ADDRESS) return undefined;
    const span = this.#spans.findLast(({ from, to }) => from <= address && address <= to);
    if (span) {
      const offset = address - span.from;
      return { text: offset === 0n ? span.name : `(void *)((char *)${span.name} + ${offset})`, call: undefined };
    }
    return this.#answers.get(address);
  }
}

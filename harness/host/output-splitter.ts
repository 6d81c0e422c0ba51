import type { CapturedText } from '../model/case-result.ts';

const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 32 * 1024;
const BRIEF_UNITS = 1024;

/** A stream in bounded memory: its first and last bytes, and the count of those between. */
class Capture {
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  /** A ring buffer: a plugin that writes gigabytes must not create gigabytes of garbage. */
  #tail: Buffer | undefined;
  #tailBytes = 0;

  add(chunk: Buffer): void {
    const part = chunk.subarray(0, HEAD_BYTES - this.#headBytes);
    if (part.length > 0) this.#head.push(Buffer.from(part));
    this.#headBytes += part.length;
    const rest = chunk.subarray(part.length);
    if (rest.length === 0) return;
    this.#tail ??= Buffer.alloc(TAIL_BYTES);
    const last = rest.subarray(-TAIL_BYTES);
    const at = (this.#tailBytes + rest.length - last.length) % TAIL_BYTES;
    const copied = last.copy(this.#tail, at);
    last.copy(this.#tail, 0, copied);
    this.#tailBytes += rest.length;
  }

  text(): CapturedText | undefined {
    if (this.#headBytes === 0) return undefined;
    const omittedBytes = Math.max(0, this.#tailBytes - TAIL_BYTES);
    const ring = this.#tail ?? Buffer.alloc(0);
    const seam = this.#tailBytes % TAIL_BYTES;
    const tail =
      omittedBytes === 0
        ? ring.subarray(0, this.#tailBytes)
        : Buffer.concat([ring.subarray(seam), ring.subarray(0, seam)]);
    if (omittedBytes === 0)
      return { head: Buffer.concat([...this.#head, tail]).toString('utf8'), tail: '', omittedBytes };
    return { head: Buffer.concat(this.#head).toString('utf8'), tail: tail.toString('utf8'), omittedBytes };
  }
}

/** A shorter capture, for cases whose output is rarely read. */
export function brief(text: CapturedText): CapturedText {
  const whole = text.head + text.tail;
  if (whole.length <= 2 * BRIEF_UNITS) return text;
  const omitted = Buffer.byteLength(whole.slice(BRIEF_UNITS, -BRIEF_UNITS));
  return {
    head: whole.slice(0, BRIEF_UNITS),
    tail: whole.slice(-BRIEF_UNITS),
    omittedBytes: text.omittedBytes + omitted,
  };
}

/** Receives a stream as it arrives: its bytes without markers, the boundaries of cases, and the native calls of a trace. */
export type Listener = (
  heard: { bytes: Buffer } | { edge: 'begin' | 'end'; number: number } | { call: string },
) => void;

/**
 * Splits an output stream of a worker by case, at the marker lines that the worker writes around every case. Uses a bounded
 * amount of memory whatever the plugin writes.
 */
export class OutputSplitter {
  readonly #begin: string;
  #held = Buffer.alloc(0);
  #open: { number: number; capture: Capture } | undefined;
  #finished = new Map<number, CapturedText | undefined>();
  #waiting = new Map<number, () => void>();
  #between = new Capture();
  #closed = false;
  readonly #listener: Listener | undefined;

  constructor(marker: string, listener?: Listener) {
    this.#listener = listener;
    this.#begin = `\n\u0001pjrt-conformance ${marker} `;
  }

  add(chunk: Buffer): void {
    let data = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    for (;;) {
      const at = data.indexOf(this.#begin);
      const end = at < 0 ? -1 : data.indexOf('\u0001\n', at + this.#begin.length);
      if (at < 0 || end < 0) {
        const keepFrom = at >= 0 ? at : this.#cutMarker(data);
        this.#take(data.subarray(0, keepFrom));
        this.#held = Buffer.from(data.subarray(keepFrom));
        return;
      }
      this.#take(data.subarray(0, at));
      this.#mark(data.toString('utf8', at + this.#begin.length, end));
      data = data.subarray(end + 2);
    }
  }

  #mark(text: string): void {
    const [kind, number] = text.split(' ', 2);
    if (kind === 'call') {
      this.#listener?.({ call: text.slice('call '.length) });
      return;
    }
    if (kind === 'begin') this.#open = { number: Number(number), capture: new Capture() };
    this.#listener?.({ edge: kind === 'begin' ? 'begin' : 'end', number: Number(number) });
    if (kind !== 'begin') this.#finish();
  }

  /** The stream has ended: everything unfinished is complete. */
  close(): void {
    this.#take(this.#held);
    this.#held = Buffer.alloc(0);
    this.#finish();
    this.#closed = true;
    for (const done of this.#waiting.values()) done();
    this.#waiting.clear();
  }

  /** Resolves when the end of a case's output has been read. */
  whenComplete(number: number): Promise<void> {
    if (this.#closed || this.#finished.has(number)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
    });
  }

  /** Removes and returns the output of one case, also of the running one; undefined if it wrote nothing. */
  take(number: number): CapturedText | undefined {
    // What may be the first half of a marker waits for the other.
    if (this.#open?.number === number) this.#finish();
    const text = this.#finished.get(number);
    this.#finished.delete(number);
    return text;
  }

  /** Output outside any case since the last call. */
  takeBetween(): CapturedText | undefined {
    const text = this.#between.text();
    this.#between = new Capture();
    return text;
  }

  /** Where a marker begins that the pipe may have split; the length of the data if none does. */
  #cutMarker(data: Buffer): number {
    for (let at = data.indexOf('\n', Math.max(0, data.length - this.#begin.length)); at >= 0; ) {
      if (this.#begin.startsWith(data.toString('latin1', at))) return at;
      at = data.indexOf('\n', at + 1);
    }
    return data.length;
  }

  #take(part: Buffer): void {
    if (part.length === 0) return;
    (this.#open?.capture ?? this.#between).add(part);
    this.#listener?.({ bytes: part });
  }

  #finish(): void {
    if (!this.#open) return;
    const { number, capture } = this.#open;
    this.#open = undefined;
    this.#finished.set(number, capture.text());
    this.#waiting.get(number)?.();
    this.#waiting.delete(number);
  }
}

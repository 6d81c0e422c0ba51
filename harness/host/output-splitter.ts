import type { CapturedText } from '../report/events.ts';

const HEAD_BYTES = 16 * 1024;
const TAIL_BYTES = 32 * 1024;
const BRIEF_UNITS = 1024;
/** Longest marker line; that much is held back, because a marker may be cut in two by the pipe. */
const MARKER_BYTES = 128;

/** Bounded memory of a stream: its first and last bytes, and the count of those between. */
class Capture {
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #omitted = 0;

  add(chunk: Buffer): void {
    let rest = chunk;
    if (this.#headBytes < HEAD_BYTES) {
      const part = rest.subarray(0, HEAD_BYTES - this.#headBytes);
      this.#head.push(Buffer.from(part));
      this.#headBytes += part.length;
      rest = rest.subarray(part.length);
    }
    if (rest.length === 0) return;
    if (rest.length > TAIL_BYTES) {
      this.#omitted += this.#tailBytes + rest.length - TAIL_BYTES;
      this.#tail = [Buffer.from(rest.subarray(rest.length - TAIL_BYTES))];
      this.#tailBytes = TAIL_BYTES;
      return;
    }
    this.#tail.push(Buffer.from(rest));
    this.#tailBytes += rest.length;
    while (this.#tailBytes - this.#tail[0]!.length >= TAIL_BYTES) {
      this.#omitted += this.#tail[0]!.length;
      this.#tailBytes -= this.#tail.shift()!.length;
    }
  }

  text(): CapturedText | undefined {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (head.length + tail.length === 0) return undefined;
    if (this.#omitted === 0) return { head: Buffer.concat([head, tail]).toString('utf8'), tail: '', omittedBytes: 0 };
    return { head: head.toString('utf8'), tail: tail.toString('utf8'), omittedBytes: this.#omitted };
  }
}

/** Less of a captured text, for cases whose output nobody will read unless they look for it. */
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

/**
 * Cuts one output stream of a worker into the parts that belong to its cases, by the marker lines that the worker writes
 * around every case. Holds a bounded amount of memory whatever the plugin writes.
 */
export class OutputSplitter {
  readonly #begin: string;
  #held = Buffer.alloc(0);
  #open: { number: number; capture: Capture } | undefined;
  #finished = new Map<number, CapturedText | undefined>();
  #waiting = new Map<number, () => void>();
  #between = new Capture();
  #closed = false;

  constructor(marker: string) {
    this.#begin = `\n\u0001pjrt-conformance ${marker} `;
  }

  add(chunk: Buffer): void {
    let data = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    for (;;) {
      const at = data.indexOf(this.#begin);
      const end = at < 0 ? -1 : data.indexOf('\u0001\n', at + this.#begin.length);
      if (at < 0 || end < 0) {
        const keep = at >= 0 ? data.length - at : Math.min(data.length, MARKER_BYTES);
        this.#take(data.subarray(0, data.length - keep));
        this.#held = Buffer.from(data.subarray(data.length - keep));
        return;
      }
      this.#take(data.subarray(0, at));
      const [edge, number] = data.toString('latin1', at + this.#begin.length, end).split(' ');
      if (edge === 'begin') this.#open = { number: Number(number), capture: new Capture() };
      else this.#finish();
      data = data.subarray(end + 2);
    }
  }

  /** The stream has ended: whatever is open is complete. */
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

  /** Output of one case, taken out; undefined when it wrote nothing. Also gives what there is of a case in hand. */
  take(number: number): CapturedText | undefined {
    if (this.#open?.number === number) {
      this.#take(this.#held);
      this.#held = Buffer.alloc(0);
      this.#finish();
    }
    const text = this.#finished.get(number);
    this.#finished.delete(number);
    return text;
  }

  /** What came outside any case since the last look. */
  takeBetween(): CapturedText | undefined {
    const text = this.#between.text();
    this.#between = new Capture();
    return text;
  }

  #take(part: Buffer): void {
    if (part.length > 0) (this.#open?.capture ?? this.#between).add(part);
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

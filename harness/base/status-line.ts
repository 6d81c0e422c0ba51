import type { Output } from './environment.ts';

const REDRAW_MS = 200;

/** A line on a stream that says how far something is: overwritten on a terminal; elsewhere a line for each title. */
export class StatusLine {
  readonly #stream: Output;
  #title = '';
  #drawnAt = 0;

  constructor(stream: Output) {
    this.#stream = stream;
  }

  update(title: string, amount: string | number): void {
    if (!this.#stream.isTTY) {
      if (title !== this.#title) this.#stream.write(`${title} …\n`);
      this.#title = title;
      return;
    }
    const now = performance.now();
    if (now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#stream.write(`\r\u001b[2K${title}: ${amount}`);
  }

  clear(): void {
    if (this.#drawnAt > 0) this.#stream.write('\r\u001b[2K');
  }
}

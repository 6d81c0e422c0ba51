import { closeSync, fstatSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { c, flushStdio } from './libc.ts';

const STDOUT = 1;

/** Standard output of this process, led into a file for a while. */
export class StdoutCapture {
  readonly #path = join(tmpdir(), `pjrt-conformance-stdout-${process.pid}`);
  readonly #file = openSync(this.#path, 'w+', 0o600);
  readonly #original = c.dup(STDOUT);

  constructor() {
    unlinkSync(this.#path);
    flushStdio();
    c.dup2(this.#file, STDOUT);
  }

  /** How many bytes have been written so far, with those that C stdio held back. */
  get bytes(): number {
    flushStdio();
    return fstatSync(this.#file).size;
  }

  /** Puts standard output back and writes to it what was held back. @returns that text */
  end(): string {
    flushStdio();
    c.dup2(this.#original, STDOUT);
    const text = readFileSync(`/proc/self/fd/${this.#file}`);
    closeSync(this.#file);
    closeSync(this.#original);
    writeSync(STDOUT, text);
    return text.toString('utf8');
  }
}

import { closeSync, fstatSync, readSync, writeSync } from 'node:fs';
import { scratchFile } from '../../base/scratch.ts';
import { c, flushStdio } from './libc.ts';

const STDOUT = 1;

/** Standard output of this process, led into a file for a while. */
export class StdoutCapture {
  readonly #file = scratchFile();
  readonly #original = c.dup(STDOUT);

  constructor() {
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
    const text = Buffer.alloc(this.bytes);
    c.dup2(this.#original, STDOUT);
    readSync(this.#file, text, 0, text.length, 0);
    closeSync(this.#file);
    closeSync(this.#original);
    writeSync(STDOUT, text);
    return text.toString('utf8');
  }
}

import { createHash } from 'node:crypto';
import type { Seal } from '../model/events.ts';

/**
 * Prefix of a seal in its line. The hash covers every byte of the file up to here, including those of this line, so that no
 * change goes unnoticed.
 */
const MARK = ',"seal":{';

const NEWLINE = Buffer.from('\n');

/** The running hash of a log. Lines are added one by one; a seal is taken in the middle of one. */
export class LogHash {
  readonly #hash = createHash('sha256');
  #lines = 0;

  /** Adds a line without its line end. */
  add(line: Uint8Array): void {
    this.#hash.update(line).update(NEWLINE);
    this.#lines++;
  }

  /** The line of a value that ends in a seal over it and everything before it, without its line end. */
  sealedLine(value: object): Buffer {
    const open = Buffer.from(JSON.stringify(value).slice(0, -1), 'utf8');
    return Buffer.concat([open, Buffer.from(`,"seal":${JSON.stringify(this.#sealAfter(open))}}`)]);
  }

  /** The expected seal at the end of a line, after the lines added before it; undefined if it has none. */
  expectedSeal(line: Buffer): Seal | undefined {
    const at = line.lastIndexOf(MARK);
    return at === -1 ? undefined : this.#sealAfter(line.subarray(0, at));
  }

  #sealAfter(part: Uint8Array): Seal {
    return { lines: this.#lines, sha256: this.#hash.copy().update(part).digest('hex') };
  }
}

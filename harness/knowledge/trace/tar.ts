/** Heads of files in a tar archive, of the POSIX format (ustar): no more of it than packed traces need. */

/** Archives are made of blocks: a head, then the contents with zeros up to a whole one. Two blocks of zeros end them. */
export const TAR_BLOCK = 512;
/** A size has eleven octal digits. */
export const TAR_MOST_BYTES = 8 ** 11 - 1;

/** A file in an archive. */
export interface TarEntry {
  name: string;
  bytes: number;
}

const [NAME, MODE, SIZE, TIME, SUM, TYPE, MAGIC] = [0, 100, 124, 136, 148, 156, 257];
const [NAME_BYTES, SIZE_BYTES, SUM_BYTES] = [100, 12, 8];
const FORMAT = 'ustar\x0000';
const PLAIN_FILE = '0';

/** The head of a file, which has no owner and no time. */
export function tarHead({ name, bytes }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES || bytes > TAR_MOST_BYTES)
    throw new RangeError(`${name}: no entry of a tar archive`);
  const head = Buffer.alloc(TAR_BLOCK);
  head.write(name, NAME);
  head.write('0000644', MODE);
  head.write('0000000\x000000000', MODE + 8);
  head.write(bytes.toString(8).padStart(SIZE_BYTES - 1, '0'), SIZE);
  head.write('0'.repeat(SIZE_BYTES - 1), TIME);
  head.write(PLAIN_FILE, TYPE);
  head.write(FORMAT, MAGIC, 'latin1');
  head.write(`${sumOf(head).toString(8).padStart(6, '0')}\x00 `, SUM);
  return head;
}

/** What a head says; undefined if it is that of no plain file. */
export function tarEntry(head: Buffer): TarEntry | undefined {
  const text = (at: number, length: number): string =>
    head.toString('latin1', at, at + length).replace(/[\0 ].*$/s, '');
  const sum = Number.parseInt(text(SUM, SUM_BYTES), 8);
  const size = text(SIZE, SIZE_BYTES);
  if (sum !== sumOf(head) || text(MAGIC, 5) !== 'ustar' || !/^[0-7]+$/.test(size)) return undefined;
  if (head.toString('latin1', TYPE, TYPE + 1) !== PLAIN_FILE) return undefined;
  return { name: text(NAME, NAME_BYTES), bytes: Number.parseInt(size, 8) };
}

/** Bytes behind the contents up to a whole block. */
export const tarPadding = (bytes: number): number => -bytes & (TAR_BLOCK - 1);

/** The sum of all bytes, with spaces where it stands itself. */
function sumOf(head: Buffer): number {
  let sum = SUM_BYTES * 0x20;
  for (let i = 0; i < head.length; i++) if (i < SUM || i >= SUM + SUM_BYTES) sum += head[i]!;
  return sum;
}

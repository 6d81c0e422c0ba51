/** Bytes of a recording, and the words in them. */

/** Bytes that a line has as base64. */
export function bytesOf(text: string): Buffer {
  // Not from the pool, so that words are aligned.
  const bytes = Buffer.from(text, 'base64');
  return Buffer.from(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** The whole words of eight bytes. */
export const wordsOf = (bytes: Buffer): bigint[] =>
  Array.from({ length: Math.floor(bytes.length / 8) }, (_, i) => bytes.readBigUInt64LE(i * 8));

/** Whether an address is in bytes that begin at a (hexadecimal) one. */
export function within(address: bigint, at: string, bytes: string): boolean {
  const from = BigInt(`0x${at}`);
  return address >= from && address < from + BigInt(Math.max(1, bytesOf(bytes).length));
}

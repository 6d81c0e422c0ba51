/** Values as C writes them. */

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '"': '\\"',
  '\\': '\\\\',
  '\r': '\\r',
  '?': '\\?',
};

/** A text as a string literal. */
export const cString = (text: string): string =>
  `"${text.replace(/[\x00-\x1f"\\?\x7f-\xff]/g, (one) => ESCAPES[one] ?? `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`;

/** Bytes as string literals, one for each line of the text that they are. */
export const cText = (bytes: Uint8Array, indent: string): string =>
  (
    Buffer.from(bytes)
      .toString('latin1')
      .match(/[^\n]*\n|[^\n]+$/g) ?? []
  )
    .map(cString)
    .join(`\n${indent}`);

/** Whether bytes are a text that people read. */
export const isPlainText = (bytes: Uint8Array): boolean =>
  bytes.length > 0 && bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x09);

const ELEMENTS: Readonly<Record<string, (view: DataView, at: number) => string>> = {
  int64_t: (view, at) => signed(view.getBigInt64(at, true)),
  uint64_t: (view, at) => `${view.getBigUint64(at, true)}u`,
  size_t: (view, at) => `${view.getBigUint64(at, true)}u`,
  int32_t: (view, at) => signed(BigInt(view.getInt32(at, true))),
  int: (view, at) => signed(BigInt(view.getInt32(at, true))),
  uint32_t: (view, at) => `0x${view.getUint32(at, true).toString(16)}`,
  bool: (view, at) => String(view.getUint8(at)),
};
const SIZES: Readonly<Record<string, number>> = { int64_t: 8, uint64_t: 8, size_t: 8, int32_t: 4, int: 4, uint32_t: 4 };

/** A signed number; the least has no literal of its own. */
export const signed = (value: bigint): string => (value === -(2n ** 63n) ? 'INT64_MIN' : String(value));

/** Bytes as a compound literal of elements of a type; other types are words or bytes. */
export function cArray(bytes: Uint8Array, type: string): string {
  const known = Object.hasOwn(ELEMENTS, type) ? type : bytes.length % 4 === 0 ? 'uint32_t' : 'uint8_t';
  const size = SIZES[known] ?? 1;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const write = ELEMENTS[known] ?? ((_: DataView, at: number) => String(view.getUint8(at)));
  const elements = Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => write(view, i * size));
  return `(const ${known}[]){${elements.join(', ')}}`;
}

/** Named values of a plugin as text, as templates/export/values.c writes them. */
import { Abi, NEWEST_MINOR } from '../../knowledge/abi/index.ts';
import { readBytesIfMapped } from '../ffi/memory.ts';

/** What an element is shown by, by PJRT_NamedValue_Type; undefined if it cannot be read. */
const VALUES: Readonly<Record<number, (value: Value) => string[] | undefined>> = {
  0: ({ inside, size }) => {
    const bytes = readBytes(inside, size);
    return bytes && Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  },
  1: ({ view, at }) => [String(view.getBigInt64(at, true))],
  2: ({ inside, size }) => {
    const bytes = readBytes(inside, 8 * size);
    return bytes && Array.from({ length: size }, (_, i) => String(viewOf(bytes).getBigInt64(8 * i, true)));
  },
  3: ({ view, at }) => [view.getUint32(at, true).toString(16).padStart(8, '0')],
  4: ({ view, at }) => [String(view.getUint8(at))],
};

interface Value {
  view: DataView;
  /** Where in it the value is, the address that it is if it is a pointer, and what its size says. */
  at: number;
  inside: bigint;
  size: number;
}

/** More are not looked at; values of more bytes neither. */
const [MOST, MOST_BYTES] = [1024, 1 << 16];

/** A list of them, in the order of their lines; undefined if it cannot be read. */
export function namedValuesText(address: bigint, count: number): string | undefined {
  const layout = Abi.at(NEWEST_MINOR).struct('PJRT_NamedValue');
  const bytes = count <= MOST ? readBytesIfMapped(address, count * layout.size) : undefined;
  if (!bytes) return undefined;
  const lines: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    const view = viewOf(bytes.subarray(i * layout.size, (i + 1) * layout.size));
    const word = (name: string): bigint => view.getBigUint64(layout.field(name).offset, true);
    const [type, size, at] = [
      view.getInt32(layout.field('type').offset, true),
      word('value_size'),
      layout.field('int64_value').offset,
    ];
    const name = readBytes(word('name'), Number(word('name_size')));
    const value =
      VALUES[type]?.({ view, at, inside: view.getBigUint64(at, true), size: Number(size) }) ??
      (VALUES[type] ? undefined : []);
    if (!name || !value) return undefined;
    const shown = value.map((one) => ` ${one}`).join('');
    lines.push(Buffer.concat([name, Buffer.from(`, type ${type}, size ${size}:${shown}\n`)]));
  }
  return Buffer.concat(lines.sort(Buffer.compare)).toString();
}

const readBytes = (address: bigint, size: number): Uint8Array | undefined =>
  size === 0 ? new Uint8Array() : size <= MOST_BYTES ? readBytesIfMapped(address, size) : undefined;

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

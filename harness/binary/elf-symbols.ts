import { closeSync, openSync, readSync } from 'node:fs';

/** A symbol that a shared library offers to others. */
export interface ExportedSymbol {
  name: string;
  binding: 'global' | 'weak' | 'unique';
}

const SHT_DYNSYM = 11;
const BINDINGS: Readonly<Record<number, ExportedSymbol['binding']>> = { 1: 'global', 2: 'weak', 10: 'unique' };
const SYMBOL_BYTES = 24;

/**
 * Reads the dynamic symbols that a 64-bit little-endian ELF library defines and exports.
 * @returns undefined when the file is something else, or has no section headers
 */
export function exportedSymbols(path: string): ExportedSymbol[] | undefined {
  const fd = openSync(path, 'r');
  try {
    const read = (offset: number, length: number): DataView => {
      const bytes = Buffer.alloc(length);
      const got = readSync(fd, bytes, 0, length, offset);
      if (got < length) throw new Error(`${path} ends at byte ${offset + got}`);
      return new DataView(bytes.buffer, bytes.byteOffset, length);
    };
    const header = read(0, 64);
    if (header.getUint32(0, false) !== 0x7f454c46 || header.getUint8(4) !== 2 || header.getUint8(5) !== 1)
      return undefined;
    const sections = sectionsOf(header, read);
    const table = sections.find((s) => s.type === SHT_DYNSYM);
    const strings = table && sections[table.link];
    if (!table || !strings) return undefined;
    return symbolsOf(read(table.offset, table.size), read(strings.offset, strings.size));
  } finally {
    closeSync(fd);
  }
}

interface Section {
  type: number;
  offset: number;
  size: number;
  link: number;
}

function sectionsOf(header: DataView, read: (offset: number, length: number) => DataView): Section[] {
  const start = Number(header.getBigUint64(40, true));
  const entryBytes = header.getUint16(58, true);
  const count = header.getUint16(60, true);
  if (start === 0 || count === 0) return [];
  const view = read(start, entryBytes * count);
  return Array.from({ length: count }, (_, i) => {
    const at = i * entryBytes;
    return {
      type: view.getUint32(at + 4, true),
      offset: Number(view.getBigUint64(at + 24, true)),
      size: Number(view.getBigUint64(at + 32, true)),
      link: view.getUint32(at + 40, true),
    };
  });
}

function symbolsOf(symbols: DataView, strings: DataView): ExportedSymbol[] {
  const text = new Uint8Array(strings.buffer, strings.byteOffset, strings.byteLength);
  const found: ExportedSymbol[] = [];
  for (let at = 0; at + SYMBOL_BYTES <= symbols.byteLength; at += SYMBOL_BYTES) {
    const info = symbols.getUint8(at + 4);
    const visibility = symbols.getUint8(at + 5) & 3;
    const section = symbols.getUint16(at + 6, true);
    const binding = BINDINGS[info >> 4];
    // Undefined symbols, and hidden or internal ones, are nobody else's business.
    if (binding === undefined || section === 0 || visibility === 1 || visibility === 2) continue;
    const start = symbols.getUint32(at, true);
    const name = Buffer.from(text.subarray(start, text.indexOf(0, start))).toString('latin1');
    if (name !== '') found.push({ name, binding });
  }
  return found;
}

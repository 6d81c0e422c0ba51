/** Writes small libraries of other systems, as their linkers would. */

/** What a library for one processor contains. */
export interface ForeignLibrary {
  /** `cputype` of Mach-O, or the machine of a PE file. */
  machine: number;
  /** `[major, minor]`. */
  minimumSystem: [number, number];
  name: string;
  needed?: string[];
  optional?: string[];
  exported: string[];
  /** The beginning of an API table in its data. */
  api?: { structSize: number; minor: number };
}

const PAGE = 0x1000;

export const MACH_X64 = 0x01000007;
export const MACH_ARM64 = 0x0100000c;
export const PE_X64 = 0x8664;
export const PE_ARM64 = 0xaa64;

/** A dynamic library of macOS; `old`: as linkers of before 2018 and 2021 wrote it. */
export function machLibrary(library: ForeignLibrary, old = false): Buffer {
  const { machine, minimumSystem, name, needed = [], optional = [], exported, api } = library;
  const trie = exportTrie(exported.map((symbol) => `_${symbol}`));
  const version = (minimumSystem[0] << 16) | (minimumSystem[1] << 8);
  const [dataAt, trieAt] = [2 * PAGE, 3 * PAGE];
  const named = (type: number, text: string): Buffer => command(type, [24, 0, 0, 0], text);
  const segment = Buffer.concat([
    u32(0x19, 72),
    Buffer.from('__DATA'.padEnd(16, '\0')),
    u64(dataAt, PAGE, dataAt, PAGE),
    u32(3, 3, 0, 0),
  ]);
  const commands = [
    segment,
    named(0xd, name),
    ...needed.map((path) => named(0xc, path)),
    ...optional.map((path) => named(0x80000018, path)),
    command(0x8000001c, [12], '@loader_path/lib'),
    old ? command(0x24, [version, version]) : command(0x32, [1, version, version, 0]),
    old
      ? command(0x80000022, [0, 0, 0, 0, 0, 0, 0, 0, trieAt, trie.length])
      : command(0x80000033, [trieAt, trie.length]),
  ];
  const all = Buffer.concat(commands);
  const head = u32(0xfeedfacf, machine, 0, 6, commands.length, all.length, 0x85, 0);
  const bytes = Buffer.alloc(trieAt + trie.length);
  Buffer.concat([head, all]).copy(bytes);
  if (api) apiTable(api).copy(bytes, dataAt + 0x40);
  trie.copy(bytes, trieAt);
  return bytes;
}

/** A universal file. */
export function universalLibrary(libraries: readonly ForeignLibrary[]): Buffer {
  const images = libraries.map((library) => machLibrary(library));
  const room = images.map(({ length }) => Math.ceil(length / PAGE) * PAGE);
  const places = images.map((_, i) => PAGE + room.slice(0, i).reduce((sum, bytes) => sum + bytes, 0));
  const bytes = Buffer.alloc(places.at(-1)! + images.at(-1)!.length);
  bytes.writeUInt32BE(0xcafebabe, 0);
  bytes.writeUInt32BE(images.length, 4);
  images.forEach((image, i) => {
    [libraries[i]!.machine, 0, places[i]!, image.length, 12].forEach((field, f) => {
      bytes.writeUInt32BE(field, 8 + 20 * i + 4 * f);
    });
    image.copy(bytes, places[i]);
  });
  return bytes;
}

/** A DLL of Windows. */
export function peLibrary(library: ForeignLibrary): Buffer {
  const { machine, minimumSystem, name, needed = [], optional = [], exported, api } = library;
  const [address, fileAt] = [0x3000, 0x400];
  const data = Buffer.alloc(2 * PAGE);
  let used = 0x100;
  if (api) apiTable(api).copy(data, 0x40);
  const put = (bytes: Buffer): number => {
    const at = used;
    bytes.copy(data, at);
    used = Math.ceil((at + bytes.length) / 8) * 8;
    return address + at;
  };
  const text = (value: string): number => put(Buffer.from(`${value}\0`, 'latin1'));
  const names = put(u32(...exported.toSorted().map(text)));
  const exports = put(u32(0, 0, 0, text(name), 1, exported.length, exported.length, 0, names, 0));
  const imports = put(Buffer.concat([...needed.map((dll) => u32(0, 0, 0, text(dll), 0)), Buffer.alloc(20)]));
  const later = put(Buffer.concat([...optional.map((dll) => u32(1, text(dll), 0, 0, 0, 0, 0, 0)), Buffer.alloc(32)]));
  const tables = Array.from({ length: 16 }, (_, i) => u32({ 0: exports, 1: imports, 13: later }[i] ?? 0, 8));
  const optionalHeader = Buffer.concat([
    u16(0x20b, 0x0e0e),
    Buffer.alloc(36),
    u16(6, 0, 0, 0, ...minimumSystem, 0, 0),
    Buffer.alloc(12),
    u16(3, 0),
    Buffer.alloc(32),
    u32(0, 16),
    ...tables,
  ]);
  const section = Buffer.concat([
    Buffer.from('.rdata\0\0'),
    u32(data.length, address, data.length, fileAt, 0, 0, 0, 0x40000040),
  ]);
  const coff = Buffer.concat([
    Buffer.from('PE\0\0'),
    u16(machine, 1),
    Buffer.alloc(12),
    u16(optionalHeader.length, 0x2022),
  ]);
  const bytes = Buffer.alloc(fileAt + data.length);
  bytes.write('MZ');
  bytes.writeUInt32LE(0x80, 60);
  Buffer.concat([coff, optionalHeader, section]).copy(bytes, 0x80);
  data.copy(bytes, fileAt);
  return bytes;
}

/** struct_size, extension_start; then PJRT_Api_Version. */
const apiTable = ({ structSize, minor }: { structSize: number; minor: number }): Buffer =>
  Buffer.concat([u64(structSize, 0x1234, 24, 0), u32(0, minor)]);

/** A load command: fields, and a text behind them. */
function command(type: number, fields: readonly number[], text = ''): Buffer {
  const body = Buffer.concat([u32(...fields), Buffer.from(text === '' ? '' : `${text}\0`)]);
  const bytes = Buffer.alloc(Math.ceil((8 + body.length) / 8) * 8);
  u32(type, bytes.length).copy(bytes);
  body.copy(bytes, 8);
  return bytes;
}

/** A node for each beginning that names share. */
function exportTrie(names: readonly string[]): Buffer {
  const nodes: Buffer[] = [];
  let used = 0;
  const write = (suffixes: readonly string[]): number => {
    const at = used;
    const isName = suffixes.includes('');
    const firsts = [...new Set(suffixes.filter(Boolean).map((suffix) => suffix[0]!))].sort();
    const groups = firsts.map((first) => suffixes.filter((suffix) => suffix.startsWith(first)));
    const labels = groups.map(sharedBeginning);
    const info = isName ? Buffer.from([2, 0, 0]) : Buffer.from([0]);
    // Numbers of three bytes, whatever they are, so that the length of a node is known before its children are.
    used += info.length + 1 + labels.reduce((sum, label) => sum + label.length + 1 + 3, 0);
    const place = nodes.push(Buffer.alloc(0)) - 1;
    const children = groups.map((group, i) => write(group.map((suffix) => suffix.slice(labels[i]!.length))));
    const edges = labels.map((label, i) => Buffer.concat([Buffer.from(`${label}\0`), threeBytes(children[i]!)]));
    nodes[place] = Buffer.concat([info, Buffer.from([labels.length]), ...edges]);
    return at;
  };
  write(names);
  return Buffer.concat(nodes);
}

const threeBytes = (value: number): Buffer =>
  Buffer.from([(value & 0x7f) | 0x80, ((value >> 7) & 0x7f) | 0x80, value >> 14]);

function sharedBeginning(names: readonly string[]): string {
  let length = 0;
  while (names.every((name) => name.length > length && name[length] === names[0]![length])) length += 1;
  return names[0]!.slice(0, length);
}

const u16 = (...values: readonly number[]): Buffer => Buffer.from(Uint16Array.from(values).buffer);
const u32 = (...values: readonly number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer);
const u64 = (...values: readonly number[]): Buffer => Buffer.from(BigUint64Array.from(values.map(BigInt)).buffer);

import { type ByteSource, TornFileError } from './byte-source.ts';
import { DT, type Dynamic } from './elf-dynamic.ts';
import type { ElfHeader } from './elf-header.ts';

/** A symbol version that an ELF file requires of a library, such as GLIBC_2.38 of libc.so.6. */
export interface NeededVersion {
  library: string;
  version: string;
  /** Loading works without it. */
  weak: boolean;
  /** Number with which symbols refer to it. */
  index: number;
}

/** A library with more is damaged. */
const MAX_VERSIONS = 65_536;
const VER_FLG_WEAK = 2;
const VERSION_MASK = 0x7fff;

/** Versions of other libraries that a file needs. @throws TornFileError */
export function readNeededVersions(source: ByteSource, { little }: ElfHeader, dynamic: Dynamic): NeededVersion[] {
  const what = 'the table of needed versions';
  const found: NeededVersion[] = [];
  for (const at of chain(source, dynamic, [DT.verneed, DT.verneednum], 12, little, what)) {
    const need = source.read(at, 16, what);
    const library = dynamic.strings.at(need.getUint32(4, little), what);
    let auxAt = at + need.getUint32(8, little);
    for (let left = need.getUint16(2, little); left > 0; left--) {
      const aux = source.read(auxAt, 16, what);
      found.push({
        library,
        version: dynamic.strings.at(aux.getUint32(8, little), what),
        weak: (aux.getUint16(4, little) & VER_FLG_WEAK) !== 0,
        index: aux.getUint16(6, little) & VERSION_MASK,
      });
      if (found.length > MAX_VERSIONS) throw new TornFileError(`${what} has more than ${MAX_VERSIONS} entries`);
      const next = aux.getUint32(12, little);
      if (next === 0) break;
      auxAt += next;
    }
  }
  return found;
}

/** Versions that a library defines. @throws TornFileError */
export function readDefinedVersions(source: ByteSource, { little }: ElfHeader, dynamic: Dynamic): string[] {
  const what = 'the table of defined versions';
  const found: string[] = [];
  for (const at of chain(source, dynamic, [DT.verdef, DT.verdefnum], 16, little, what)) {
    const definition = source.read(at, 20, what);
    const aux = source.read(at + definition.getUint32(12, little), 8, what);
    found.push(dynamic.strings.at(aux.getUint32(0, little), what));
  }
  return found;
}

/** Version index of each of the first `count` symbols; undefined if symbols have none. @throws TornFileError */
export function readSymbolVersions(
  source: ByteSource,
  { little }: ElfHeader,
  dynamic: Dynamic,
  count: number,
): number[] | undefined {
  const address = dynamic.value(DT.versym);
  if (address === undefined) return undefined;
  const what = 'the table of symbol versions';
  const table = source.read(dynamic.offsetOf(address, what), count * 2, what);
  return Array.from({ length: count }, (_, i) => table.getUint16(i * 2, little) & VERSION_MASK);
}

/** Offsets of the records of a linked table; the field at `nextAt` is the distance to the next record. */
function* chain(
  source: ByteSource,
  dynamic: Dynamic,
  [start, count]: readonly [number, number],
  nextAt: number,
  little: boolean,
  what: string,
): Generator<number> {
  const address = dynamic.value(start);
  if (address === undefined) return;
  const left = dynamic.value(count) ?? 0;
  if (left > MAX_VERSIONS) throw new TornFileError(`${what} would have ${left} records`);
  let at = dynamic.offsetOf(address, what);
  for (let i = 0; i < left; i++) {
    yield at;
    const next = source.read(at + nextAt, 4, what).getUint32(0, little);
    if (next === 0) return;
    at += next;
  }
}

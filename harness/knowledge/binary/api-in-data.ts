import { expectedTableBytes, NEWEST_MINOR, versionStanding } from '../abi/index.ts';
import { type ByteSource, type Extent, TornFileError } from './byte-source.ts';

/** The beginning of a PJRT_Api that a compiler laid out: many plugins fill theirs only when they are loaded. */
export interface ApiInData {
  major: number;
  minor: number;
  structSize: number;
}

const CHUNK_BYTES = 1 << 20;
/** struct_size, extension_start, and PJRT_Api_Version: struct_size, extension_start, major_version, minor_version. */
const HEAD_WORDS = 10;
const VERSION_BYTES = 24;
/** Beyond the newest known version, a table is at least as large, and the number not far. */
const NEWER_MINORS = 100;
const LARGEST_TABLE = 1 << 16;

/**
 * Looks for the API table in data that is laid out for a 64-bit little-endian processor. Its version struct has a size that
 * is fixed, and the size of the table must be one that this version has had, so nothing else looks like it.
 * @throws TornFileError
 */
export function apiInData(source: ByteSource, data: readonly Extent[]): ApiInData | undefined {
  let left = source.size;
  for (const { offset, bytes } of data) {
    left -= bytes;
    if (left < 0) throw new TornFileError('the parts of its data are longer than the file: it is cut off or damaged');
    for (let at = 0; at + HEAD_WORDS * 4 <= bytes; at += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES + HEAD_WORDS * 4, bytes - at) & ~7;
      const found = apiAmong(source.read(offset + at, length, 'data'));
      if (found) return found;
    }
  }
  return undefined;
}

function apiAmong(view: DataView<ArrayBuffer>): ApiInData | undefined {
  const words = view.byteLength >> 2;
  for (let i = 4; i + 6 <= words; i += 2) {
    if (view.getUint32(i * 4, true) !== VERSION_BYTES || view.getUint32(i * 4 + 4, true) !== 0) continue;
    const [structSize, rest] = [view.getUint32(i * 4 - 16, true), view.getUint32(i * 4 - 12, true)];
    const [major, minor] = [view.getInt32(i * 4 + 16, true), view.getInt32(i * 4 + 20, true)];
    if (rest === 0 && isTableOf(major, minor, structSize)) return { major, minor, structSize };
  }
  return undefined;
}

function isTableOf(major: number, minor: number, structSize: number): boolean {
  const standing = versionStanding(major, minor);
  if (standing === 'known') return expectedTableBytes(minor).includes(structSize);
  if (standing === 'older' || major !== 0 || minor > NEWEST_MINOR + NEWER_MINORS) return false;
  return structSize >= Math.max(...expectedTableBytes(NEWEST_MINOR)) && structSize < LARGEST_TABLE;
}

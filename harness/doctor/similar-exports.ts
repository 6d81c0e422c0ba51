import { distance } from 'fastest-levenshtein';
import type { ExportedSymbol } from '../binary/elf-symbols.ts';

const WANTED = 'GetPjrtApi';
const MAX_DISTANCE = 3;

/** Exported names that may be meant for GetPjrtApi: other spellings, and the name as C++ decorates it. */
export const similarExports = (exported: readonly ExportedSymbol[]): string[] =>
  exported
    .map(({ name }) => name)
    .filter((name) => /^_Z\w*get_?pjrt_?api/i.test(name) || isNear(name))
    .sort();

const isNear = (name: string): boolean =>
  Math.abs(name.length - WANTED.length) <= MAX_DISTANCE &&
  distance(name.toLowerCase(), WANTED.toLowerCase()) <= MAX_DISTANCE;

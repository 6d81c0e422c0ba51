import type { ComparisonLine, RecordedLine } from '../../model/call-recording.ts';

/**
 * Comparisons of a recording, by the place of the line that read what they are about; where it is not named, that of the last memory with
 * these bytes, and of arrays with the same bytes, which are read before they are compared, each comparison is about one.
 */
export function comparisonsOf(lines: readonly RecordedLine[]): Map<number, ComparisonLine[]> {
  const found = new Map<number, ComparisonLine[]>();
  for (const [at, line] of [...lines.entries()].reverse()) {
    if (line.k !== 'comparison') continue;
    const isIts = (one: RecordedLine, i: number): boolean =>
      i < at && one.k === 'taken' && startsWith(one.bytes, line.actual);
    const named = line.of === undefined ? -1 : lines.findIndex((one) => one.k === 'taken' && one.number === line.of);
    const free = named >= 0 ? named : lines.findLastIndex((one, i) => isIts(one, i) && !found.has(i));
    const place = free < 0 ? lines.findLastIndex(isIts) : free;
    found.set(place, [line, ...(found.get(place) ?? [])]);
  }
  return found;
}

/** Whether bytes begin with others. */
function startsWith(whole: string, part: string): boolean {
  const bytes = Buffer.from(part, 'base64');
  return Buffer.from(whole, 'base64').subarray(0, bytes.length).equals(bytes);
}

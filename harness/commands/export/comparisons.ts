import type { ComparisonLine, RecordedLine } from '../../model/call-recording.ts';

/** Comparisons of a recording, by the place of the line that read what they are about: the last memory with these bytes. */
export function comparisonsOf(lines: readonly RecordedLine[]): Map<number, ComparisonLine[]> {
  const found = new Map<number, ComparisonLine[]>();
  for (const [at, line] of lines.entries()) {
    if (line.k !== 'comparison') continue;
    const place = lines.findLastIndex((one, i) => i < at && one.k === 'taken' && startsWith(one.bytes, line.actual));
    found.set(place, [...(found.get(place) ?? []), line]);
  }
  return found;
}

/** Whether bytes begin with others. */
function startsWith(whole: string, part: string): boolean {
  const bytes = Buffer.from(part, 'base64');
  return Buffer.from(whole, 'base64').subarray(0, bytes.length).equals(bytes);
}

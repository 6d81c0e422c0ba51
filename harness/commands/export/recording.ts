import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedLine } from '../../model/call-recording.ts';

/** The recording of the process that ran the case, of those in a directory; undefined if none did. */
export function readRecording(directory: string): RecordedLine[] | undefined {
  const all = readdirSync(directory).map((name) => linesOf(readFileSync(join(directory, name), 'utf8')));
  return all.findLast((lines) => lines.some((line) => line.k === 'case'));
}

/** The last line may be cut off: the process may have died while it was written. */
function linesOf(text: string): RecordedLine[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedLine);
}

/** What the library of faults says of a fault itself. */
export interface FaultReport {
  /** What it changes was called. */
  reached: boolean;
  /** It says by itself whether it was. */
  marks?: true;
  /** What the base does not have, and the fault would need. */
  missing?: string;
}

const MISSING = 'missing ';

/** Reads the file to which plugins/faults/faults.cc appends a line for each: `reached`, `marks`, or `missing` and what is missing. */
export function readFaultReport(text: string): FaultReport {
  const lines = text.split('\n');
  const missing = lines.find((line) => line.startsWith(MISSING))?.slice(MISSING.length);
  const marks = lines.includes('marks') && { marks: true as const };
  return { reached: lines.includes('reached'), ...marks, ...(missing === undefined ? {} : { missing }) };
}

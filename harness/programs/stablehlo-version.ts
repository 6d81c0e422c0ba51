import { ProgramError } from './program-error.ts';

/** A StableHLO version: major, minor, patch. */
export type StablehloVersion = readonly [number, number, number];

/** Reads `1.13.0`. */
export function parseVersion(text: string): StablehloVersion {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (match === null) throw new ProgramError(`'${text}' is not a StableHLO version: expected three numbers, as 1.13.0`);
  return [Number(match[1]), Number(match[2]), Number(match[3])];
}

/** Negative, zero or positive as `a` is older than, the same as or newer than `b`. */
export function compareVersions(a: StablehloVersion, b: StablehloVersion): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

import { type ArtifactInfo, type Program, ProgramError } from './program.ts';

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

/** Older artifacts are only sent to plugins that announce an older version. */
const UNANNOUNCED_FLOOR: StablehloVersion = [1, 0, 0];

/**
 * The artifact that a framework would send: the newest one that is not newer than the plugin's `stablehlo_current_version`
 * and not older than its `stablehlo_minimum_version`; undefined if there is none.
 *
 * A plugin that announces nothing gets the oldest artifact from 1.0.0 on. Frameworks send such a plugin the version that was
 * current about 12 weeks before their own release; a harness has no such date, and every reader of VHLO promises to accept
 * old artifacts.
 */
export function newestAcceptable(
  program: Pick<Program, 'artifacts'>,
  current: StablehloVersion | undefined,
  minimum?: StablehloVersion,
): ArtifactInfo | undefined {
  const notTooOld = program.artifacts.filter(
    ({ version }) => minimum === undefined || compareVersions(parseVersion(version), minimum) >= 0,
  );
  if (current === undefined) {
    const fromFloor = notTooOld.find(({ version }) => compareVersions(parseVersion(version), UNANNOUNCED_FLOOR) >= 0);
    return fromFloor ?? notTooOld.at(-1);
  }
  return notTooOld.findLast(({ version }) => compareVersions(parseVersion(version), current) <= 0);
}

// Four bytes of magic and one for the bytecode format precede the producer, a NUL-terminated string.
const PRODUCER_AT = 5;
const PRODUCER = 'StableHLO_v';

/** The version of a portable artifact; undefined for other bytes. */
export function artifactVersion(artifact: Uint8Array): StablehloVersion | undefined {
  const head = Buffer.from(artifact.subarray(PRODUCER_AT, PRODUCER_AT + 64)).toString('latin1');
  const match = /^StableHLO_v(\d+)\.(\d+)\.(\d+)\0/.exec(head);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

/**
 * A portable artifact with another version number in its producer string. Nothing else in the bytes depends on the length of
 * that string. The generator proves for which versions the result is what a framework would write.
 */
export function stampVersion(artifact: Uint8Array, version: string): Uint8Array {
  const end = artifact.indexOf(0, PRODUCER_AT);
  const producer = new TextDecoder('latin1').decode(artifact.subarray(PRODUCER_AT, end));
  if (end < 0 || !producer.startsWith(PRODUCER)) {
    throw new ProgramError(`not a portable artifact: expected '${PRODUCER}' at byte ${PRODUCER_AT}`);
  }
  const wanted = `${PRODUCER}${version}`;
  if (producer === wanted) return artifact;
  const stamped = new Uint8Array(artifact.length - producer.length + wanted.length);
  stamped.set(artifact.subarray(0, PRODUCER_AT));
  stamped.set(new TextEncoder().encode(wanted), PRODUCER_AT);
  stamped.set(artifact.subarray(end), PRODUCER_AT + wanted.length);
  return stamped;
}

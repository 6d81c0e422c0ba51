import { ProgramError } from './program-error.ts';

// Four bytes of magic and one for the bytecode format precede the producer, a NUL-terminated string.
const PRODUCER_AT = 5;
const PRODUCER = 'StableHLO_v';

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

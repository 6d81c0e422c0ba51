/** A question about the C API that its tables cannot answer: an unknown name, a version before the first table. */
export class AbiError extends Error {
  override name = 'AbiError';
}

/** Something that other versions of the C API have, and this one has not: not a mistake of whoever asks. */
export class NotInVersionError extends AbiError {
  override name = 'NotInVersionError';
}

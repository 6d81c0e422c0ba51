/** A file with an array that cannot be read as what is wanted. The message says which file, what is in it, and what to do. */
export class ArrayFileError extends Error {
  override name = 'ArrayFileError';
  /** The element type of the array, if only that is not as wanted. */
  readonly held: string | undefined;

  constructor(message: string, { held }: { held?: string } = {}) {
    super(message);
    this.held = held;
  }
}

/** A file with an array that cannot be read as what is wanted. The message says which file, what is in it, and what to do. */
export class ArrayFileError extends Error {
  override name = 'ArrayFileError';
}

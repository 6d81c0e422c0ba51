/** A trace that cannot be read: which file, where in it, and what is wrong. */
export class TraceError extends Error {
  override name = 'TraceError';
}

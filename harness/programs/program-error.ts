/** A program that does not exist, or lacks what was requested. The message says what to do. */
export class ProgramError extends Error {
  override name = 'ProgramError';
}

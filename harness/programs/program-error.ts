/** A program that does not exist, or that lacks what was asked of it. The message says what to do. */
export class ProgramError extends Error {
  override name = 'ProgramError';
}

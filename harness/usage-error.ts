/** Wrong options or files: exit code 2. The message is all that the user sees. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Wrong options or files: exit code 2. The user sees only the message. */
export class UsageError extends Error {
  override name = 'UsageError';
}

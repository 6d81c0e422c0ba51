import type { ErrorSubject } from './error-subject.ts';

/** Wrong options or files: exit code 2. The user sees only the message. */
export class UsageError extends Error implements ErrorSubject {
  override name = 'UsageError';
  readonly options: readonly string[];
  readonly paths: readonly string[];

  constructor(message: string, { options = [], paths = [], ...rest }: ErrorSubject & ErrorOptions = {}) {
    super(message, rest);
    this.options = options;
    this.paths = paths;
  }
}

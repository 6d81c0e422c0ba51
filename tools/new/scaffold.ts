import { UsageError } from '../../harness/base/usage-error.ts';

/** What is written for a new thing, and what then remains to be done by hand. */
export interface Scaffold {
  /** Texts of files by their paths from the root of the project. */
  files: Readonly<Record<string, string>>;
  next: readonly string[];
}

/** Reads a file of the project by its path from the root; undefined if there is none. */
export type Read = (path: string) => string | undefined;

/** Options of a scaffold by name. */
export type Values = Readonly<Record<string, string | undefined>>;

/** The value of an option that cannot be left out. @throws UsageError */
export function needed(values: Values, name: string, meaning: string): string {
  const value = values[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing: ${meaning}`);
  return value;
}

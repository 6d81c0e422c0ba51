import { visibleLineEnds } from '../line-ends.ts';

/** Stable codes of errors between `--plugin` and a library on disk. */
export type PluginErrorCode =
  | 'plugin-not-found'
  | 'plugin-unreadable'
  | 'plugin-not-a-library'
  | 'plugin-unknown'
  | 'plugin-needs-path'
  | 'plugin-duplicate'
  | 'plugin-not-registered'
  | 'manifest-invalid'
  | 'option-invalid'
  | 'no-installer'
  | 'no-network'
  | 'no-wheel'
  | 'fetch-off'
  | 'fetch-failed'
  | 'hash-mismatch'
  | 'archive-unsafe'
  | 'no-compiler'
  | 'build-failed';

/** A plugin cannot be used; the one-line message says where, what was expected and what to do. */
export class PluginError extends Error {
  override name = 'PluginError';
  readonly code: PluginErrorCode;
  /** Further lines, such as the end of pip's output. */
  readonly detail: string | undefined;

  constructor(code: PluginErrorCode, message: string, detail?: string) {
    super(visibleLineEnds(message));
    this.code = code;
    this.detail = detail;
  }
}

/** Message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The system's message, without the call and the path that Node adds. */
export const reasonOf = (error: unknown): string => messageOf(error).replace(/, \w+ '.*$/s, '');

/** `ENOENT` and similar, for errors of the file system and of processes. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

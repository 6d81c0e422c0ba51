import { visibleLineEnds } from '../../base/display.ts';
import type { ErrorSubject } from '../../base/error-subject.ts';

/** Stable codes of errors between `--plugin` and a library on disk. */
type PluginErrorCode =
  | 'plugin-not-found'
  | 'plugin-unreadable'
  | 'plugin-not-a-library'
  | 'plugin-unknown'
  | 'plugin-needs-path'
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
  | 'build-failed'
  | 'build-off'
  | 'device-busy'
  | 'host-unsupported';

/** Who names what is wrong: an option, a place in a file. */
export interface ErrorPlace extends ErrorSubject {
  where: string;
}

/** What the message of an error is made of: `where: what; advice`. */
interface ErrorParts extends ErrorPlace {
  what: string;
  /** What to do. */
  advice?: string | undefined;
}

const textOf = ({ where, what, advice }: ErrorParts): string =>
  `${where}: ${what}${advice === undefined ? '' : `; ${advice}`}`;

/** A plugin cannot be used; the message, one line, says where, what was expected and what to do. */
export class PluginError extends Error implements ErrorSubject {
  override name = 'PluginError';
  readonly code: PluginErrorCode;
  /** Further lines, such as the end of pip's output. */
  readonly detail: string | undefined;
  /** For who shows them elsewhere than in a line. */
  readonly parts: ErrorParts | undefined;
  readonly options: readonly string[];
  readonly paths: readonly string[];

  constructor(code: PluginErrorCode, said: string | ErrorParts, detail?: string, subject: ErrorSubject = {}) {
    super(visibleLineEnds(typeof said === 'string' ? said : textOf(said)));
    this.code = code;
    this.parts = typeof said === 'string' ? undefined : said;
    this.detail = detail;
    const { options = [], paths = [] } = this.parts ?? subject;
    this.options = options;
    this.paths = paths;
  }
}

/** Message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `ENOENT` and similar, for errors of the file system and of processes. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

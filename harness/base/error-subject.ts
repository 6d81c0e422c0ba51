/** What an error is about, for those who know where an option or a path was given. */
export interface ErrorSubject {
  /** Options of the command, without dashes. */
  readonly options?: readonly string[];
  /** Paths, as they were given. */
  readonly paths?: readonly string[];
}

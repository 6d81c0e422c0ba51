/** What a case is made of, from the files of its suite as they were in the run. */
export interface CaseSource {
  /** Missing if the file is not the one of the run, or not there. */
  steps?: SourceText;
  programs: readonly ProgramSource[];
}

/** Lines of a file. */
export interface SourceText {
  text: string;
  /** Number of the first line. */
  line: number;
}

/** A StableHLO program. Cases that use the same one have the same object. */
export interface ProgramSource {
  name: string;
  text: string;
  /** Number of lines that were left out at the end, of a long one. */
  omittedLines?: number;
}

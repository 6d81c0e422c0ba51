import type { Run } from '../../model/run.ts';
import type { ExitCode } from '../../verdict/exit-codes.ts';
import type { ReportFile } from '../files/report-files.ts';

/** A run and what was written about it. */
export interface RunOutcome {
  /** Combined exit code of the run and its gate. */
  exitCode: ExitCode;
  run: Run;
  /** Path of the log. */
  log: string;
  reports: readonly ReportFile[];
}

import type { Finding } from '../../model/finding.ts';
import type { Arrangement } from './arrangement.ts';

/**
 * How an arrangement ended. no-client: nothing is wrong, but a plugin made no client, as without a device, so that less was
 * tried · known: only deviations that a manifest documents · impossible: a plugin cannot be used even alone · error: of the
 * harness, or interrupted.
 */
export type CellStatus = 'pass' | 'warn' | 'no-client' | 'known' | 'fail' | 'impossible' | 'error';

/** Something that went wrong in an arrangement: a finding, or something like one; `plugin` and `culprit` by the names of the matrix. */
export interface Trouble
  extends Pick<Finding, 'type' | 'message' | 'detail' | 'call' | 'requirements' | 'plugin' | 'culprit'> {
  /** Id of the case; `(load)` and `(exit)` for what is in no case. With `type`, what is the same trouble in different cells. */
  where: string;
  level: 'fail' | 'warn' | 'known';
  /** Of a known deviation: its reason. */
  reason?: string;
}

/** The outcome of one arrangement. */
export interface Cell extends Arrangement {
  status: CellStatus;
  /** The verdict of its run, in one line. */
  line: string;
  /** Number of cases by status, those that are zero left out. */
  counts: Record<string, number>;
  /** Plugins that made no client, with the reason. */
  withoutClient: { plugin: string; reason: string }[];
  troubles: Trouble[];
  durationMs: number;
  /** Its directory, with the log and the reports. */
  directory: string;
  /** A command that runs only this arrangement again. */
  reproduce: string;
}

import { type Bundle, bundle as bundleRun } from '../commands/bundle/bundle.ts';
import { report as reportLogs } from '../run/finish/report.ts';
import { type Context, environmentOf } from './context.ts';
import { type RunRequest, type RunResult, resultOf } from './run.ts';

/** Logs, and the reports to write from them. */
export interface ReportRequest
  extends Omit<Context, 'signal'>,
    Pick<
      RunRequest,
      | 'strict'
      | 'acceptKnown'
      | 'allowFlaky'
      | 'expectations'
      | 'strictExpectations'
      | 'updateExpectations'
      | 'suites'
      | 'report'
    > {
  /** Event logs, or directories of runs. Several must be all shards of one run and are merged. */
  logs: string | string[];
  /** Directory of the reports. Default: beside the log; `reports/merged` for several logs. */
  output?: string;
  /** Path of the merged log. */
  events?: string;
  /** Merge what there is, if shards or results are missing; the verdict is then at best 5. */
  allowMissing?: boolean;
}

/**
 * Writes the reports of a run from its log, or one report from the logs of its shards, like the command `report`. No case is run.
 * @throws UsageError, SuiteError, EventLogError, WriteFileError
 */
export async function report(request: ReportRequest): Promise<RunResult> {
  const { logs, cwd: _cwd, env: _env, stdout: _stdout, ...options } = request;
  // The calling program may be a workflow step that writes its own summary.
  return resultOf(await reportLogs([logs].flat(), { ...options, github: false }, environmentOf(request)));
}

/** A run to pack. */
export interface BundleRequest extends Pick<Context, 'cwd' | 'env'> {
  /** Event log of a finished run, or its directory. */
  log: string;
  /** Path of the archive. Default: `bundle.zip` beside the log. */
  output?: string;
  /** Include the library of the plugin. */
  withPlugin?: boolean;
}

/** Packs a run into one verifiable archive, like the command `bundle`. @throws UsageError, EventLogError, WriteFileError */
export const bundle = ({ log, output, withPlugin, ...context }: BundleRequest): Promise<Bundle> =>
  bundleRun(log, { output, ...(withPlugin ? { withPlugin } : {}) }, environmentOf(context));

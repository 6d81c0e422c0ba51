import type { Caller } from '../../knowledge/abi/caller.ts';
import type { Event } from '../../model/events.ts';
import type { Positive } from '../../model/values.ts';
import type { ExpectationOptions } from '../files/expectations.ts';
import type { GateOptions } from '../files/gate.ts';
import type { ReportFileOptions } from '../files/report-files.ts';
import type { SubmissionOptions } from '../files/submission.ts';
import type { PluginOptions } from '../plugin/plugin-setup.ts';
import type { SelectionOptions } from '../suites/selection.ts';
import type { JobOptions } from './job-options.ts';

/** Options of a run that its log stores, so that it can be resumed. */
interface LoggedOptions
  extends SelectionOptions,
    PluginOptions,
    ReportFileOptions,
    ExpectationOptions,
    GateOptions,
    SubmissionOptions,
    JobOptions {
  events?: string;
  asApi?: Caller;
  repeat?: Positive;
  rerunFailed?: Positive;
  /** Only the cases that failed in the run whose place this one takes. */
  lastFailed?: boolean;
  /** Processes that die or hang are looked at with a debugger. */
  backtrace?: boolean;
  /** Rows of variables, each of which makes a device visible; the run of a single device has one, which its log records. */
  deviceEnv?: string[];
  /** The devices of `deviceEnv` share the cases. */
  acrossDevices?: boolean;
}

/** Parsed options of `run`. */
export interface RunOptions extends LoggedOptions {
  /** What came from a configuration file. */
  configUse?: Extract<Event, { type: 'header' }>['config'];
  /** Log of a run to resume, or its directory. */
  resume?: string;
  /** File that gets the outcome of each case as soon as it is final. */
  outcomes?: string;
  /** Where a scheduler gave the shard, and the id of its job. */
  task?: { from?: string; job?: string };
  maxFailures?: number;
  /** Milliseconds: the most valuable cases run first, and none begins later. */
  budget?: number;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  /** The only case runs in this debugger, which stops at calls of the function `break`. */
  gdb?: boolean;
  lldb?: boolean;
  rr?: boolean;
  break?: string;
  color?: boolean;
}

import type { Event } from '../model/events.ts';
import type { Caller } from '../wire/caller.ts';
import type { ExpectationOptions } from './expectations.ts';
import type { GateOptions } from './gate.ts';
import type { PluginOptions } from './plugin-setup.ts';
import type { ReportFileOptions } from './report-files.ts';
import type { SelectionOptions } from './selection.ts';

/** Options of `run` as commander gives them. */
export interface RunOptions
  extends SelectionOptions,
    PluginOptions,
    ReportFileOptions,
    ExpectationOptions,
    GateOptions {
  /** What a configuration file gave. */
  configUse?: Extract<Event, { type: 'header' }>['config'];
  /** Log of a run to go on with, or its folder. */
  resume?: string;
  events?: string;
  asApi?: Caller;
  maxFailures?: number;
  repeat?: number;
  rerunFailed?: number;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  color?: boolean;
}

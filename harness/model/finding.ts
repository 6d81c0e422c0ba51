import type { Backtrace } from './backtrace.ts';
import type { LooksLike } from './looks-like.ts';
import type { MismatchNumbers } from './mismatch-numbers.ts';
import type { MismatchPlaces } from './mismatch-places.ts';
import type { Line, NonEmpty } from './values.ts';

/** One finding. `type` is stable and namespaced (`pjrt.NumericMismatch`, `pjrt.WrongError`, `pjrt.Crash` …). */
export interface Finding {
  type: NonEmpty;
  level: 'must' | 'should' | 'info';
  /** One line, no addresses, no times, no temporary paths: trend tools compare it. */
  message: string;
  /** Further lines: tables, hex, expected and actual values. */
  detail?: string;
  /** Native call concerned, e.g. `PJRT_Client_LookupDevice`. */
  call?: string;
  /** Of `pjrt.NullFunction`: the functions that are NULL. Otherwise those whose answers contradict each other, any of which may be wrong. */
  calls?: string[];
  /** Error code returned by the call, if that is the defect. */
  code?: string;
  /** First line of the plugin's error message. */
  said?: string;
  /** The extension that it is about: `Layouts`. @since log 1.9 */
  extension?: string;
  /** Of files that are left: in the home directory, or in those that all programs share. @since log 1.9 */
  place?: 'home' | 'shared';
  /** 1-based line in the suite file. */
  line?: Line;
  /** Requirement ids that it violates. */
  requirements?: string[];
  /** Of several plugins in one process: the one whose answer it is about. @since log 1.6 */
  plugin?: string;
  /** Of several plugins in one process: the one whose doing it is, where that was seen. @since log 1.6 */
  culprit?: string;
  /** Of arrays that differ: what the bytes are instead, if that is beyond doubt. @since log 1.9 */
  looksLike?: LooksLike;
  /** Of arrays that differ: where. @since log 1.6 */
  where?: MismatchPlaces;
  /** Of arrays that differ: by how much, and the arrays themselves if they are small. @since log 1.8 */
  numbers?: MismatchNumbers;
  /** Of arrays that differ: in type or shape, so that no element was compared. @since log 1.9 */
  otherForm?: true;
  /** Of a process that died or hung: where it was. Only with `--backtrace`. @since log 1.9 */
  backtrace?: Backtrace;
}

/**
 * Why something that a case needs is unavailable; reports count what it excuses. unimplemented: the call returns
 * UNIMPLEMENTED · null: its slot is NULL · absent: not in this API version, or past the end of the table · refused: the
 * plugin does not support the element type · failed: another case reports the call that failed.
 */
export interface Cause {
  kind: 'unimplemented' | 'null' | 'absent' | 'refused' | 'failed';
  /** A function of the C API, `Extension.function`, or an extension. */
  call: string;
  /** Of `failed` and `refused`: the error code. */
  code?: string;
  /** First line of the plugin's error message. */
  message?: string;
  /** Of `refused`: the element type, or the type and shape of an array: `f64`, `f32[0,3]`. */
  dtype?: string;
}

import { resolve } from 'node:path';
import { type CheckedProcess, checkTrace } from '../commands/callers/check-trace.ts';
import { diffTraces, type TraceDiff } from '../commands/trace/diff.ts';
import { type ProgramsRequest, type WrittenPrograms, writePrograms } from '../commands/trace/programs.ts';
import { summarize, type TraceSummary } from '../commands/trace/summary.ts';
import { openTrace } from '../knowledge/trace/open-trace.ts';

/** Where a trace is. */
export interface TraceRequest {
  /** Directory that the command `record` has written. */
  trace: string;
  /** Base of relative paths. Default: the working directory. */
  cwd?: string;
}

/** What a recorded program did with its plugins; like the command `trace show`. @throws TraceError */
export const traceSummary = ({ trace, cwd = process.cwd() }: TraceRequest): TraceSummary =>
  summarize(openTrace(resolve(cwd, trace), trace));

/** What recorded callers did that no caller may; like the command `trace check`. @throws TraceError */
export const traceMistakes = ({ trace, cwd = process.cwd() }: TraceRequest): CheckedProcess[] =>
  checkTrace(openTrace(resolve(cwd, trace), trace), trace);

/** Where another trace is. */
export interface TraceDiffRequest extends TraceRequest {
  other: string;
}

/** What another recorded program calls differently; like the command `trace diff`. @throws TraceError */
export const traceDifferences = ({ trace, other, cwd = process.cwd() }: TraceDiffRequest): TraceDiff =>
  diffTraces(openTrace(resolve(cwd, trace), trace), openTrace(resolve(cwd, other), other));

/** Executions to write as programs. */
export interface TraceProgramsRequest extends TraceRequest, Pick<ProgramsRequest, 'every' | 'execute'> {
  /** Directory of the programs, which does not exist or is empty. */
  output: string;
}

/** Writes executions of a trace as programs; like the command `trace programs`. @throws TraceError, UsageError */
export function tracePrograms({ trace, output, cwd = process.cwd(), ...which }: TraceProgramsRequest): WrittenPrograms {
  return writePrograms(openTrace(resolve(cwd, trace), trace), {
    output: resolve(cwd, output),
    shown: output,
    ...which,
  });
}

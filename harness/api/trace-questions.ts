import { resolve } from 'node:path';
import { type CheckedProcess, checkTrace } from '../commands/contract/check-trace.ts';
import { diffTraces, type TraceDiff } from '../commands/trace/diff.ts';
import { type ProgramsRequest, type WrittenPrograms, writePrograms } from '../commands/trace/programs.ts';
import { summarize, type TraceSummary } from '../commands/trace/summary.ts';
import { openTrace, type Trace } from '../knowledge/trace/open-trace.ts';
import { traceDirectory } from '../knowledge/trace/trace-directory.ts';

/** Where a trace is. */
export interface TraceRequest {
  /** Directory that the command `record` has written, or a file that `trace pack` has made of one. */
  trace: string;
  /** Base of relative paths. Default: the working directory. */
  cwd?: string;
}

const opened = async (trace: string, cwd = process.cwd()): Promise<Trace> =>
  openTrace(await traceDirectory(resolve(cwd, trace), trace), trace);

/** What a recorded program did with its plugins; like the command `trace show`. @throws TraceError */
export const traceSummary = async ({ trace, cwd }: TraceRequest): Promise<TraceSummary> =>
  summarize(await opened(trace, cwd));

/** What recorded callers did that no caller may, and their plugins that no plugin may; like the command `trace check`. @throws TraceError */
export const traceMistakes = async ({ trace, cwd }: TraceRequest): Promise<CheckedProcess[]> =>
  checkTrace(await opened(trace, cwd), trace);

/** Where another trace is. */
export interface TraceDiffRequest extends TraceRequest {
  other: string;
}

/** What another recorded program calls differently; like the command `trace diff`. @throws TraceError */
export const traceDifferences = async ({ trace, other, cwd }: TraceDiffRequest): Promise<TraceDiff> =>
  diffTraces(await opened(trace, cwd), await opened(other, cwd));

/** Executions to write as programs. */
export interface TraceProgramsRequest extends TraceRequest, Pick<ProgramsRequest, 'every' | 'execute'> {
  /** Directory of the programs, which does not exist or is empty. */
  output: string;
}

/** Writes executions of a trace as programs; like the command `trace programs`. @throws TraceError, UsageError */
export async function tracePrograms({
  trace,
  output,
  cwd = process.cwd(),
  ...which
}: TraceProgramsRequest): Promise<WrittenPrograms> {
  return writePrograms(await opened(trace, cwd), {
    output: resolve(cwd, output),
    shown: output,
    ...which,
  });
}

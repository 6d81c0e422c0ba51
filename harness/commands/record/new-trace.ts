import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asJson } from '../../base/as-json.ts';
import { demandEmpty } from '../../base/demand-empty.ts';
import { makeDirectory } from '../../base/make-directory.ts';
import { TRACE_FORMAT, TRACE_MAJOR, TRACE_MINOR } from '../../knowledge/trace/format.ts';
import type { ExecutionWindow, TraceManifest } from '../../knowledge/trace/open-trace.ts';
import { traceReadme } from '../../knowledge/trace/trace-readme.ts';

/** What to record, and how much of it. */
export interface RecordOptions {
  /** Directory of the trace, which does not exist, or is empty. */
  output: string;
  /** Of host data: all, only digests, or nothing. */
  keep: 'all' | 'hashes' | 'none';
  /** Of which executions arguments and results are read. */
  contents: 'first' | 'every' | 'none';
  programsOnly: boolean;
  /** Executions of each process around which everything is recorded, and only programs elsewhere. */
  window?: ExecutionWindow;
  /** Whether callers learn that the host can read a buffer where it is. */
  views: boolean;
  /** Bytes of records and data, for each process. */
  maxSize?: number;
  /** The latest StableHLO that plugins may say they read: `1.13.0`. */
  stablehlo?: string;
}

/** Makes the directory of the trace with what it says of itself. @throws UsageError */
export function beginTrace(trace: string, options: RecordOptions): void {
  const { output, keep, contents, programsOnly, window, stablehlo } = options;
  demandEmpty(trace, output, 'trace');
  makeDirectory(join(trace, 'blobs'));
  const manifest: TraceManifest = {
    format: TRACE_FORMAT,
    version: `${TRACE_MAJOR}.${TRACE_MINOR}`,
    recorded: new Date().toISOString(),
    keep,
    contents: window ? 'every' : contents,
    programsOnly,
    ...(window && { window }),
    ...(stablehlo !== undefined && { stablehlo }),
  };
  writeFileSync(join(trace, 'manifest.json'), asJson(manifest));
  writeFileSync(join(trace, 'README.md'), traceReadme(manifest));
}

/** What the recorder reads, by name. @param trace absolute path */
export function settingsOf(
  trace: string,
  { keep, contents, programsOnly, window, views, maxSize, stablehlo }: RecordOptions,
): Record<string, string> {
  return {
    PJRT_CONFORMANCE_RECORD: trace,
    PJRT_CONFORMANCE_RECORD_KEEP: keep,
    PJRT_CONFORMANCE_RECORD_CONTENTS: contents,
    PJRT_CONFORMANCE_RECORD_PROGRAMS_ONLY: programsOnly ? '1' : '0',
    PJRT_CONFORMANCE_RECORD_NO_VIEWS: views ? '0' : '1',
    ...(window && { PJRT_CONFORMANCE_RECORD_WINDOW: `${window.first}-${window.last}` }),
    ...(maxSize === undefined ? {} : { PJRT_CONFORMANCE_RECORD_MAX_SIZE: String(maxSize) }),
    ...(stablehlo === undefined ? {} : { PJRT_CONFORMANCE_RECORD_STABLEHLO: stablehlo }),
  };
}

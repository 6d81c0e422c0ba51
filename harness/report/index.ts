/** Reports of a run: the event log on disk, merging of logs, and one writer per format. */

export { cleanLine, cleanText, decodeUtf8, truncate } from '../base/sanitize.ts';
export { type ConsoleOptions, type ConsoleReporter, createConsoleReporter } from './console.ts';
export { fixedTimeFrom, JUNIT_FLAVORS, type JunitFlavor, type ReportFormat, type ReportOptions } from './format.ts';
export { DEFAULT_FORMATS, findFormat, REPORT_FORMATS } from './formats.ts';
export { type JsonReport, jsonReport } from './json.ts';
export { EventLog, EventLogError, readEvents } from './log.ts';
export { type LogLock, lockLog } from './log-lock.ts';
export { MergeError, mergeLogs, type NamedLog } from './merge.ts';
export { isIncomplete } from './merge-faults.ts';
export { type PreviousLog, pluginOf, previousLog } from './previous-log.ts';
export { type RecoveredLog, recoverLog } from './recover-log.ts';
export { WriteFileError, writeFileAtomically } from './write-file.ts';

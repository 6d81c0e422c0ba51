/** Reports of a run: the event log, the run it describes, and one writer a format. */
export { type ConsoleOptions, type ConsoleReporter, createConsoleReporter } from './console.ts';
export * from './events.ts';
export { type JsonReport, jsonReport, writeJson } from './json.ts';
export { fixedTimeFrom, type JunitOptions, junitXml, writeJunit } from './junit.ts';
export { EventLog, EventLogError, readEvents } from './log.ts';
export { applyEvent, type CaseRun, emptyRun, foldRun, type Run, reasonOf, type SuiteRun, statusOf } from './model.ts';
export { cleanLine, cleanText, decodeUtf8, truncate } from './sanitize.ts';
export { WriteFileError, writeFileAtomically } from './write-file.ts';

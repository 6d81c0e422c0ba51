import { CommanderError } from 'commander';
import { isWithinPackage } from '../base/paths.ts';
import { isSystemError, systemReason } from '../base/system-reason.ts';
import { UsageError } from '../base/usage-error.ts';
import { PluginError } from '../host/plugins/plugin-error.ts';
import { EventLogError, WriteFileError } from '../report/index.ts';
import { SuiteError } from '../suite/problem.ts';
import { type ExitCode, exitCode } from '../verdict/exit-codes.ts';
import { readable } from './readable.ts';

/** The plugin was named correctly but cannot be obtained or used here, so nothing was tested. Everything else is wrong usage. */
const UNOBTAINABLE = new Set<string>([
  'no-installer',
  'no-network',
  'no-wheel',
  'fetch-off',
  'fetch-failed',
  'hash-mismatch',
  'archive-unsafe',
  'no-compiler',
  'build-failed',
  'build-off',
  'device-busy',
  'host-unsupported',
]);

/** Errors about invalid input: the message says where, what was expected, and what to do. */
const BAD_INPUT = [UsageError, SuiteError, EventLogError, WriteFileError];

/** Prints why a command failed. @returns the matching exit code; anything unforeseen is an internal error */
export function printFailure(error: unknown, stderr: { write(text: string): unknown }): ExitCode {
  // Commander has already printed it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCode('usage');
  // The user stopped it before there was anything to report.
  if (error instanceof Error && error.name === 'AbortError') return exitCode('interrupted');
  if (BAD_INPUT.some((kind) => error instanceof kind)) {
    stderr.write(`error: ${readable((error as Error).message)}\n`);
    return exitCode('usage');
  }
  if (error instanceof PluginError) {
    stderr.write(`${readable(['error: ', error.message, error.detail ? `\n${error.detail}` : ''].join(''))}\n`);
    return exitCode(UNOBTAINABLE.has(error.code) ? 'unusable' : 'usage');
  }
  // A file of the user's, wherever it was opened; one of the package's would be our fault.
  if (isSystemError(error) && error.path !== undefined && !isWithinPackage(error.path)) {
    stderr.write(`error: ${readable(`${error.path}: ${systemReason(error)}`)}\n`);
    return exitCode('usage');
  }
  stderr.write(`error: the harness failed; please report this\n${(error as Error).stack ?? String(error)}\n`);
  return exitCode('internal-error');
}

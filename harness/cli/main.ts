#!/usr/bin/env node
import './small-memory.ts';
import { CommanderError } from 'commander';
import { PluginError } from '../plugins/plugin-error.ts';
import { EventLogError, WriteFileError } from '../report/index.ts';
import { SuiteError } from '../suite/problem.ts';
import { exitCode } from '../verdict/exit-codes.ts';
import { runProgram } from './program.ts';
import { UsageError } from './usage-error.ts';

/** Entry of the command: the only place that exits. */
/** The plugin was named rightly, but cannot be had here: nothing is proven. Everything else is wrong usage. */
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
]);

const interrupt = new AbortController();
let interrupts = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // The first one ends the run with its reports; the second one is somebody who will not wait.
    if (++interrupts > 1) process.exit(exitCode('interrupted'));
    interrupt.abort();
  });
}

// Whoever read the output may go (`| head`): the run goes on, and writes its reports.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  process.exitCode = await runProgram({
    cwd: process.cwd(),
    env: process.env,
    argv: process.argv.slice(2),
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interrupt.signal,
  });
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : exitCode('usage');
  else if (
    error instanceof UsageError ||
    error instanceof SuiteError ||
    error instanceof EventLogError ||
    error instanceof WriteFileError
  ) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = exitCode('usage');
  } else if (error instanceof PluginError) {
    process.stderr.write(`error: ${error.message}\n${error.detail ? `${error.detail}\n` : ''}`);
    process.exitCode = exitCode(UNOBTAINABLE.has(error.code) ? 'unusable' : 'usage');
  } else {
    process.stderr.write(`error: the harness failed; please report this\n${(error as Error).stack ?? String(error)}\n`);
    process.exitCode = exitCode('harness-fault');
  }
}

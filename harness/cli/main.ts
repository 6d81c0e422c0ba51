#!/usr/bin/env node
import './small-memory.ts';
import { GuardedOutput } from '../base/guarded-output.ts';
import { rememberSecrets } from '../base/redact.ts';
import { exitCode } from '../verdict/exit-codes.ts';
import { printFailure } from './failure.ts';
import { runProgram } from './program.ts';

/** Entry of the command: the only place that exits. */
const interrupt = new AbortController();
let interrupts = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // The first signal ends the run with its reports; the second one ends the process at once.
    if (++interrupts > 1) process.exit(exitCode('interrupted'));
    interrupt.abort();
  });
}

// The reader of the output may have exited (`| head`): the run continues and writes its reports.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

rememberSecrets(process.env, process.argv.slice(2));
const [stdout, stderr] = [process.stdout, process.stderr].map((stream) => new GuardedOutput(stream)) as [
  GuardedOutput,
  GuardedOutput,
];

// What a command that ends too early has proved.
process.exitCode = exitCode('internal-error');
runProgram({
  cwd: process.cwd(),
  env: process.env,
  argv: process.argv.slice(2),
  stdout,
  stderr,
  signal: interrupt.signal,
})
  .catch((error) => printFailure(error, stderr))
  .then((code) => {
    process.exitCode = code;
  });

#!/usr/bin/env node
import './small-memory.ts';
import { faultOf } from '../base/environment.ts';
import { GuardedOutput } from '../base/guarded-output.ts';
import { rememberSecrets } from '../base/redact.ts';
import { type ExitCode, exitCode } from '../verdict/exit-codes.ts';
import { printFailure } from './failure.ts';
import { runProgram } from './program.ts';

rememberSecrets(process.env, process.argv.slice(2));
const stdout = new GuardedOutput(process.stdout);
const stderr = new GuardedOutput(process.stderr);

/** How long a command may take to end when it has to, with its reports. */
const PATIENCE_MS = 9000;

/** Entry of the command: the only place that exits. */
const interrupt = new AbortController();
let interrupts = 0;
/** Programs in this terminal to which Ctrl-C is left. */
let holders = 0;

const hold = (): (() => void) => {
  holders++;
  return () => {
    holders--;
  };
};

function end(code: ExitCode, fault?: unknown): void {
  if (interrupt.signal.aborted) return;
  interrupt.abort(fault);
  setTimeout(() => {
    process.stderr.write(
      `error: not everything ended within ${PATIENCE_MS / 1000} s; the event log has all results until here\n`,
    );
    process.exit(code);
  }, PATIENCE_MS).unref();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (signal === 'SIGINT' && holders > 0) return;
    // The first signal ends the run with its reports; the second one ends the process at once.
    if (++interrupts > 1) process.exit(exitCode('interrupted'));
    end(exitCode('interrupted'));
  });
}

// Node's own handler opens a debugger.
process.on('SIGUSR1', () => {});

// What nobody caught ends the run with its reports too.
process.on('uncaughtException', (thrown: unknown) => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (faultOf(interrupt.signal) === undefined) printFailure(error, stderr);
  end(exitCode('internal-error'), error);
});

// The reader of the output may have exited (`| head`): the run continues and writes its reports.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

// What a command that ends too early has proved.
process.exitCode = exitCode('internal-error');
runProgram({
  cwd: process.cwd(),
  env: process.env,
  argv: process.argv.slice(2),
  stdout,
  stderr,
  stdin: process.stdin,
  signal: interrupt.signal,
  interrupts: { hold },
})
  .catch((error) => (error === faultOf(interrupt.signal) ? undefined : printFailure(error, stderr)))
  .then((code) => {
    process.exitCode = faultOf(interrupt.signal) === undefined ? code : exitCode('internal-error');
  });

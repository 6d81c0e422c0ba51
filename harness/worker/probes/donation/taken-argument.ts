import type { Buffer } from '../../pjrt/buffer.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { expectArray } from '../../steps/expect.ts';
import { checkError } from '../../steps/expected-error.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { list, number, optional, probe, program } from '../probe.ts';
import { floats } from '../support/checks.ts';
import { start } from '../support/sample-run.ts';

const EXECUTE = 'PJRT_LoadedExecutable_Execute';
const INPUT = floats([1, 2, 3, 4]);
const OUTPUT = floats([2, 3, 4, 5]);

// A program of x + 1 may take its argument. A buffer that was taken cannot be used any more. A plugin may ignore donation:
// then the buffer is not deleted, and still good for everything. One that is refused was taken, whatever it says. Options of
// all: `program`.

/** A taken argument cannot be one again. Another program of x + 1 may be run then, `by`, instead of the same. */
export const takenArgumentExecuted = probe(
  'taken-argument-executed',
  { program, by: optional(program) },
  (context, { program, by }) => {
    const executable = compileProgram(context, program);
    const again = by === undefined ? executable : compileProgram(context, by);
    const { buffer, taken, checkOutput } = taking(context, executable);
    const use = () => expectArray(context, 'x + 1', OUTPUT, fetchArray(context, run(context, again, [buffer])), 'bits');
    if (taken) refusedAs(context, EXECUTE, use);
    else use();
    checkOutput();
  },
);

/** A taken argument cannot be read. */
export const takenArgumentRead = probe('taken-argument-read', { program }, (context, { program }) => {
  const { buffer, taken, checkOutput } = taking(context, compileProgram(context, program));
  if (taken) refusedAs(context, 'PJRT_Buffer_ToHostBuffer', () => checkInput(context, buffer));
  checkOutput();
});

/** A taken argument does not become ready. */
export const takenArgumentAwaited = probe('taken-argument-awaited', { program }, (context, { program }) => {
  const { buffer, taken, checkOutput } = taking(context, compileProgram(context, program));
  if (taken) refused('PJRT_Buffer_ReadyEvent', () => buffer.awaitReady());
  else buffer.awaitReady();
  checkOutput();
});

/** Runs the program on a new buffer. One that it has not taken is good for reading. */
function taking(
  context: CaseContext,
  executable: LoadedExecutable,
): { buffer: Buffer; taken: boolean; checkOutput: () => void } {
  const buffer = startPut(context, INPUT);
  const output = run(context, executable, [buffer]);
  return {
    buffer,
    taken: buffer.isDeleted() || isRefused(context, buffer),
    checkOutput: () =>
      expectArray(context, 'the output of the execution that took x', OUTPUT, fetchArray(context, output), 'bits'),
  };
}

/** Whether a buffer that is not deleted was taken all the same, of which nothing but a warning is known. */
function isRefused(context: CaseContext, buffer: Buffer): boolean {
  try {
    checkInput(context, buffer);
    return false;
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    context.report({
      type: 'pjrt.AssertionFailed',
      level: 'should',
      message: 'the argument of an execution cannot be read any more, and is not deleted',
      detail: error.text,
      call: 'PJRT_Buffer_IsDeleted',
      requirements: ['RUN-DON-001'],
    });
    return true;
  }
}

const checkInput = (context: CaseContext, buffer: Buffer): void =>
  expectArray(context, 'x', INPUT, fetchArray(context, buffer), 'bits');

/**
 * A buffer is given twice to a program of which one argument may be taken: an error, or, where donation is ignored, the
 * right results and a buffer that is as it was. The program gives `results` of (x, x).
 */
export const takenAndShared = probe(
  'taken-and-shared',
  { program, results: list(list(number)) },
  (context, { program, results }) => {
    const executable = compileProgram(context, program);
    const buffer = startPut(context, INPUT);
    let outputs: Buffer[];
    try {
      outputs = runAll(context, executable, [buffer, buffer]);
    } catch (error) {
      if (!(error instanceof PjrtError)) throw error;
      checkError(context, { must: 'any', should: 'INVALID_ARGUMENT' }, error);
      return;
    }
    if (buffer.isDeleted()) throw missing(EXECUTE, 'a buffer was donated that is another argument as well');
    outputs.forEach((output, i) => {
      expectArray(context, `output ${i}`, floats(results[i]!), fetchArray(context, output), 'bits');
    });
    expectArray(context, 'the argument', INPUT, fetchArray(context, buffer), 'bits');
  },
);

/** @returns the error that the attempt ends in */
function refused(call: string, attempt: () => void): PjrtError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof CheckFailure) throw missing(call, 'a donated buffer was used again');
    if (!(error instanceof PjrtError)) throw error;
    return error;
  }
  throw missing(call, 'a donated buffer was used again');
}

/** The same, where frameworks expect a certain code. */
const refusedAs = (context: CaseContext, call: string, attempt: () => void): void =>
  checkError(context, { must: 'any', should: 'INVALID_ARGUMENT' }, refused(call, attempt));

const missing = (call: string, what: string): CheckFailure =>
  new CheckFailure({ type: 'pjrt.MissingError', message: `${call} succeeded: ${what}`, call });

const run = (context: CaseContext, executable: LoadedExecutable, args: readonly Buffer[]): Buffer =>
  runAll(context, executable, args)[0]!;

/** @throws PjrtError, also one that came late */
function runAll(context: CaseContext, executable: LoadedExecutable, args: readonly Buffer[]): Buffer[] {
  const { outputs, events } = start(context, executable, [args]);
  for (const event of events) event.await();
  for (const output of outputs.flat()) output.awaitReady();
  return outputs.flat();
}

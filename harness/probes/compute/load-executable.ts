import { PjrtError } from '../../pjrt/errors.ts';
import { type Executable, LoadedExecutable } from '../../pjrt/executable.ts';
import { compileProgram } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { expectArray } from '../../steps/expect.ts';
import { CheckFailure, lacksHelper } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { compileAhead } from './compile-for-topology.ts';
import { runOnce } from './run-once.ts';
import { sampleInputs } from './sample-inputs.ts';

/** Loads one executable twice, runs both, and still has it. `options`: given, null, or empty (a pointer to no bytes). */
export const loadExecutable: Probe = (context, options) => {
  const program = String(options.program);
  const inputs = sampleInputs(program);
  const expected = runOnce(context, compileProgram(context, program), inputs).map((o) => fetchArray(context, o));
  const executable = aheadOf(context, program);
  const bytes = options.options === 'given' ? compileOptions(context, {}, { program }) : new Uint8Array();
  for (let i = 0; i < 2; i++) {
    const loaded = load(context, executable, options.options === 'null' ? undefined : bytes);
    runOnce(context, loaded, inputs).forEach((output, o) => {
      expectArray(context, `output ${o} of load ${i + 1}`, expected[o]!, fetchArray(context, output), 'bits');
    });
    loaded.destroy();
  }
  executable.name();
};

/** Options that name a device which does not exist cannot be loaded with. */
export const loadElsewhere: Probe = (context, options) => {
  const executable = aheadOf(context, String(options.program));
  try {
    load(context, executable, compileOptions(context, { device_assignment: [999] }));
  } catch (error) {
    if (error instanceof PjrtError) return;
    throw error;
  }
  // XLA's CPU client takes the options that are in the executable instead, and no header says that it may not.
  throw new CheckFailure({
    type: 'pjrt.MissingError',
    level: 'should',
    message: 'PJRT_Client_Load accepted options for a device that does not exist',
    call: 'PJRT_Client_Load',
  });
};

/** What is to be loaded. Where it cannot be made, cases about compiling for a topology say so. */
function aheadOf(context: CaseContext, program: string): Executable {
  try {
    return compileAhead(context, program, true);
  } catch (error) {
    throw error instanceof PjrtError ? lacksHelper(error) : error;
  }
}

function load(context: CaseContext, executable: Executable, options: Uint8Array | undefined): LoadedExecutable {
  const pointer = context.api.invoke(
    'PJRT_Client_Load',
    (call) => {
      call.setWord('client', context.client.pointer);
      call.setWord('executable', executable.pointer);
      if (options) call.setWord('compile_options', context.arena.input(options).address);
      call.setSize('compile_options_size', options?.length ?? 0);
    },
    (call) => call.word('loaded_executable'),
  );
  return context.scope.own(new LoadedExecutable(context.api, pointer));
}

import { Executable } from '../../pjrt/executable.ts';
import { makeProgram } from '../../pjrt/program.ts';
import { loadProgram } from '../../programs/programs.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';

/** Compiles for the topology of the client; the executable answers what a framework asks first. */
export const compileForTopology: Probe = (context, options) => {
  const program = loadProgram(String(options.program));
  const executable = compileAhead(context, program.name, options.passed === 'client');
  const fail = (message: string, call: string) => {
    throw new CheckFailure({ type: 'pjrt.AssertionFailed', message, call });
  };
  if (executable.name() === '') fail('an executable compiled for a topology has no name', 'PJRT_Executable_Name');
  const outputs = executable.numOutputs();
  if (outputs !== program.outputs.length)
    fail(
      `an executable compiled for a topology has ${outputs} outputs, expected ${program.outputs.length}`,
      'PJRT_Executable_NumOutputs',
    );
};

/** PJRT_Compile with default options. @throws PjrtError */
export function compileAhead(context: CaseContext, program: string, passClient: boolean): Executable {
  const { api, arena, client } = context;
  const code = makeProgram(api, arena, programBytes(context.plugin, { program }), 'mlir');
  const bytes = compileOptions(context, {}, { program });
  const pointer = api.invoke(
    'PJRT_Compile',
    (call) => {
      call.setWord('topology', client.topology().pointer);
      call.setWord('program', code);
      call.setWord('compile_options', arena.input(bytes).address);
      call.setSize('compile_options_size', bytes.length);
      if (passClient) call.setWord('client', client.pointer);
    },
    (call) => call.word('executable'),
  );
  if (pointer === 0n) {
    throw new CheckFailure({
      type: 'pjrt.BadData',
      message: 'PJRT_Compile succeeded, but its executable is NULL',
      call: 'PJRT_Compile',
    });
  }
  return context.scope.own(new Executable(api, pointer));
}

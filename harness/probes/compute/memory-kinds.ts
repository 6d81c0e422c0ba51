import { loadProgram } from '../../programs/programs.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { readMemoryKinds } from './read-memory-kinds.ts';

/** As many memory kinds as the program has outputs (or parameters), each of a memory that the client has. */
export const memoryKinds: Probe = (context, options) => {
  const program = loadProgram(String(options.program));
  const of = options.of === 'parameters' ? 'parameters' : 'outputs';
  const executable = context.scope.own(compileProgram(context, program.name).getExecutable());
  const kinds = readMemoryKinds(executable, of);
  const wanted = (of === 'outputs' ? program.outputs : program.inputs).length;
  const call = of === 'outputs' ? 'PJRT_Executable_OutputMemoryKinds' : 'PJRT_Executable_ParameterMemoryKinds';
  const fail = (message: string) => {
    throw new CheckFailure({ type: 'pjrt.AssertionFailed', message, call });
  };
  if (kinds.length !== wanted) fail(`${call} gives ${kinds.length} memory kinds for ${wanted} ${of}`);
  const known = context.client.addressableMemories().map((memory) => memory.memoryKind());
  const strange = kinds.find((kind) => !known.includes(kind));
  if (strange !== undefined) {
    fail(
      `${call} gives the kind ${JSON.stringify(strange)}; the client's memories are ${[...new Set(known)].join(', ')}`,
    );
  }
};

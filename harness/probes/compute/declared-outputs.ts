import { dtypeOfEnum } from '../../numerics/dtypes.ts';
import { readInt32s, readInt64s } from '../../pjrt/strings.ts';
import { loadProgram } from '../../programs/programs.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';

/** Number, element types and dimensions of the outputs, as reported by the executable and as in the program. */
export const declaredOutputs: Probe = (context, options) => {
  const program = loadProgram(String(options.program));
  const { api } = context;
  const executable = context.scope.own(compileProgram(context, program.name).getExecutable());
  const same = (what: string, call: string, requirement: string, got: unknown, want: unknown) => {
    if (JSON.stringify(got) === JSON.stringify(want)) return;
    throw new CheckFailure({
      type: 'pjrt.AssertionFailed',
      message: `${call} gives ${what} ${JSON.stringify(got)} for ${program.name}, expected ${JSON.stringify(want)}`,
      call,
      requirements: [requirement],
    });
  };
  const count = program.outputs.length;
  same('the number', 'PJRT_Executable_NumOutputs', 'EXE-NUM-002', executable.numOutputs(), count);
  const types = api.invoke(
    'PJRT_Executable_OutputElementTypes',
    (call) => call.setWord('executable', executable.pointer),
    (call) => {
      const n = call.size('num_output_types');
      same('a number of types of', 'PJRT_Executable_OutputElementTypes', 'EXE-OUT-001', n, count);
      return readInt32s(call.word('output_types'), n);
    },
  );
  same(
    'the types',
    'PJRT_Executable_OutputElementTypes',
    'EXE-OUT-001',
    types.map((type) => dtypeOfEnum(type)?.name ?? type),
    program.outputs.map((output) => output.dtype),
  );
  const shapes = api.invoke(
    'PJRT_Executable_OutputDimensions',
    (call) => call.setWord('executable', executable.pointer),
    (call) => {
      const n = call.size('num_outputs');
      same('dimensions for a number of outputs of', 'PJRT_Executable_OutputDimensions', 'EXE-OUT-002', n, count);
      const ranks = readInt64s(call.word('dim_sizes'), n);
      const all = readInt64s(
        call.word('dims'),
        ranks.reduce((a, b) => a + b, 0),
      );
      let at = 0;
      return ranks.map((rank) => {
        at += rank;
        return all.slice(at - rank, at);
      });
    },
  );
  same(
    'the dimensions',
    'PJRT_Executable_OutputDimensions',
    'EXE-OUT-002',
    shapes,
    program.outputs.map((output) => output.shape),
  );
};

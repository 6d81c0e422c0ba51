import { Memory } from '../../pjrt/memory.ts';
import { readInt64s, readPointers, readText } from '../../pjrt/strings.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { runOnce } from './run-once.ts';
import { sampleInputs } from './sample-inputs.ts';

/** Each output lies in a memory of the kind that PJRT_Executable_OutputMemoryKinds announces for it. */
export const outputMemoryKinds: Probe = (context, options) => {
  const program = String(options.program);
  const loaded = compileProgram(context, program);
  const executable = context.scope.own(loaded.getExecutable());
  const kinds = context.api.invoke(
    'PJRT_Executable_OutputMemoryKinds',
    (call) => call.setWord('executable', executable.pointer),
    (call) => {
      const count = call.size('num_outputs');
      const sizes = readInt64s(call.word('memory_kind_sizes'), count);
      return readPointers(call.word('memory_kinds'), count).map((p, i) => readText(p, sizes[i]!));
    },
  );
  runOnce(context, loaded, sampleInputs(program)).forEach((output, i) => {
    const kind = new Memory(context.api, output.memory()).memoryKind();
    if (kind !== kinds[i]) {
      throw new CheckFailure({
        type: 'pjrt.AssertionFailed',
        message: `output ${i} lies in ${JSON.stringify(kind)}, the executable announced ${JSON.stringify(kinds[i])}`,
        call: 'PJRT_Buffer_Memory',
      });
    }
  });
};

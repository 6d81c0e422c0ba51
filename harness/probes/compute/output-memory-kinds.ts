import { Memory } from '../../pjrt/memory.ts';
import { compileProgram } from '../../steps/compile.ts';
import { CheckFailure } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { readMemoryKinds } from './read-memory-kinds.ts';
import { runOnce } from './run-once.ts';
import { sampleInputs } from './sample-inputs.ts';

/** Each output lies in a memory of the kind that PJRT_Executable_OutputMemoryKinds announces for it. */
export const outputMemoryKinds: Probe = (context, options) => {
  const program = String(options.program);
  const loaded = compileProgram(context, program);
  const kinds = readMemoryKinds(context.scope.own(loaded.getExecutable()), 'outputs');
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

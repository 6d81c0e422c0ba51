import type { Executable } from '../../pjrt/executable.ts';
import { readInt64s, readPointers, readText } from '../../pjrt/strings.ts';

/** Memory kinds of the outputs or parameters of an executable, in order. @throws PjrtError */
export function readMemoryKinds(executable: Executable, of: 'outputs' | 'parameters'): string[] {
  const [name, counter] =
    of === 'outputs'
      ? ['PJRT_Executable_OutputMemoryKinds', 'num_outputs']
      : ['PJRT_Executable_ParameterMemoryKinds', 'num_parameters'];
  return executable.api.invoke(
    name,
    (call) => call.setWord('executable', executable.pointer),
    (call) => {
      const count = call.size(counter);
      const sizes = readInt64s(call.word('memory_kind_sizes'), count);
      return readPointers(call.word('memory_kinds'), count).map((p, i) => readText(p, sizes[i]!));
    },
  );
}

import type { Executable } from '../../pjrt/executable.ts';
import { textsOf } from '../../pjrt/strings.ts';

/** Memory kinds of the outputs or parameters of an executable, in order. @throws PjrtError */
export function readMemoryKinds(executable: Executable, of: 'outputs' | 'parameters'): string[] {
  const name = of === 'outputs' ? 'PJRT_Executable_OutputMemoryKinds' : 'PJRT_Executable_ParameterMemoryKinds';
  return executable.api.invoke(
    name,
    (call) => call.setWord('executable', executable.pointer),
    (call) => textsOf(call, 'memory_kinds'),
  );
}

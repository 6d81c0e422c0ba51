import type { CompileOptions } from '../../../suite/types.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { refusal } from '../../steps/outcome.ts';

/** Compiles a program for as many devices as the options say. @throws NotSupported where the plugin refuses those for several */
export function compileForDevices(context: CaseContext, program: string, options: CompileOptions): LoadedExecutable {
  try {
    return compileProgram(context, program, options);
  } catch (error) {
    const { num_replicas: replicas = 1, num_partitions: partitions = 1 } = options;
    throw Number(replicas) * Number(partitions) > 1
      ? refusal(error, 'the plugin refuses programs for several devices')
      : error;
  }
}

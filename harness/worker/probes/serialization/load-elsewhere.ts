import { PjrtError } from '../../pjrt/errors.ts';
import { type Executable, LoadedExecutable } from '../../pjrt/executable.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import type { CaseContext } from '../../steps/context.ts';
import { CheckFailure, lacksHelper } from '../../steps/outcome.ts';
import { probe, program } from '../probe.ts';

/** Options that name a device which does not exist cannot be loaded with. */
export const loadElsewhere = probe('load-elsewhere', { program }, (context, { program }) => {
  const executable = aheadOf(context, program);
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
});

/** What is to be loaded. Where it cannot be made, cases about compiling for a topology say so. */
function aheadOf(context: CaseContext, program: string): Executable {
  const { arena, client, scope } = context;
  try {
    const code = programBytes(context.plugin, { program });
    const options = compileOptions(context, {}, { program });
    return scope.own(client.topology().compile(arena, code, 'mlir', options, client));
  } catch (error) {
    throw error instanceof PjrtError ? lacksHelper(error) : error;
  }
}

function load(context: CaseContext, executable: Executable, options: Uint8Array): LoadedExecutable {
  const pointer = context.api.invoke(
    'PJRT_Client_Load',
    (call) => {
      call.setWord('client', context.client.pointer);
      call.setWord('executable', executable.pointer);
      call.setWord('compile_options', context.arena.input(options).address);
      call.setSize('compile_options_size', options.length);
    },
    (call) => call.word('loaded_executable'),
  );
  return context.scope.own(new LoadedExecutable(context.api, pointer));
}

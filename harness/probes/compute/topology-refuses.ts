import { PjrtError } from '../../pjrt/errors.ts';
import { makeProgram } from '../../pjrt/program.ts';
import { programBytes } from '../../steps/compile.ts';
import { compileOptions } from '../../steps/compile-options.ts';
import { CheckFailure, lacksHelper } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { compileAhead } from './compile-for-topology.ts';

/** One thing wrong with a compilation for the client's topology, after the same compilation was good without it. */
export const topologyRefuses: Probe = (context, options) => {
  const { api, arena, client } = context;
  const program = String(options.program);
  try {
    compileAhead(context, program, true);
  } catch (error) {
    if (!(error instanceof PjrtError)) throw error;
    throw lacksHelper(error);
  }
  const mistake = String(options.mistake);
  const good = programBytes(context.plugin, { program });
  const code = mistake === 'malformed-program' ? good.subarray(0, good.length >> 1) : good;
  const bytes =
    mistake === 'unparsable-options' ? Uint8Array.of(0xff, 0xff, 0xff, 0xff) : compileOptions(context, {}, { program });
  const format = mistake === 'unknown-format' ? 'invalid' : 'mlir';
  try {
    api.invoke('PJRT_Compile', (call) => {
      call.setWord('topology', client.topology().pointer);
      call.setWord('program', makeProgram(api, arena, code, format));
      call.setWord('compile_options', arena.input(bytes).address);
      call.setSize('compile_options_size', bytes.length);
      call.setWord('client', client.pointer);
    });
  } catch (error) {
    if (error instanceof PjrtError) return;
    throw error;
  }
  throw new CheckFailure({
    type: 'pjrt.MissingError',
    message: `PJRT_Compile succeeded despite ${mistake.replace('-', ' ')}`,
    call: 'PJRT_Compile',
  });
};

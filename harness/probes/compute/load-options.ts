import { compileProgram } from '../../steps/compile.ts';
import type { Probe } from '../../steps/steps.ts';
import { loadSerialized, serialize } from './load-serialized.ts';
import { runOnce, sampleInputs } from './sample-run.ts';

/** Loading with null load options, or with a struct of which every member is null, as frameworks do. */
export const loadOptions: Probe = (context, options) => {
  const program = String(options.program);
  const bytes = serialize(context, compileProgram(context, program));
  const empty = context.api.make(context.arena, 'PJRT_LoadOptions');
  const loaded = loadSerialized(context, bytes, (call) => {
    call.setWord('load_options', options.how === 'empty' ? empty.address : 0n);
  });
  runOnce(context, loaded, sampleInputs(program));
};

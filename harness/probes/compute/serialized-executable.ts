import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { loadSerialized, serialize } from './load-serialized.ts';
import { runOnce } from './run-once.ts';
import { sampleInputs } from './sample-inputs.ts';

/** An executable through bytes and back: the same bits, though original and bytes are gone by then. */
export const serializedExecutable: Probe = (context, options) => {
  const program = String(options.program);
  const inputs = sampleInputs(program);
  const original = compileProgram(context, program);
  const expected = runOnce(context, original, inputs).map((output) => fetchArray(context, output));
  const bytes = serialize(context, original);
  original.destroy();
  const loaded = loadSerialized(context, bytes);
  runOnce(context, loaded, inputs).forEach((output, i) => {
    expectArray(context, `output ${i}`, expected[i]!, fetchArray(context, output), 'bits');
  });
};

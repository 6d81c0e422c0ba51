import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import type { Probe } from '../../steps/steps.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { RawExecution } from './raw-execution.ts';
import { filled } from './sample-inputs.ts';

/**
 * Everything that the call may read is overwritten as soon as it returns, while a long run may still be on its way: the
 * options, both levels of the lists, the indices not to donate, the call location and the empty task lists.
 */
export const executeMemoryOverwritten: Probe = (context, options) => {
  const { arena } = context;
  const executable = compileProgram(context, 'misc/long_running');
  const args = [filled('s32', [], Number(options.iterations)), filled('f32', [64], 2)].map((a) => startPut(context, a));
  const indices = arena.int64s([0, 1]);
  const location = arena.text('model.py:1:1');
  const run = new RawExecution(context, executable, [args], {
    events: true,
    fill: (view) => {
      const put = (field: string, value: bigint) => {
        if (view.layout.has(field)) view.setWord(field, value);
      };
      put('non_donatable_input_indices', indices.address);
      put('num_non_donatable_input_indices', 2n);
      put('call_location', location.address);
    },
  });
  run.run();
  run.scribble();
  indices.bytes.fill(0xee);
  location.bytes.fill(0xee);
  for (const event of run.completions()) event.await();
  expectArray(context, 'the output', filled('f32', [64], 2), fetchArray(context, run.outputs()[0]![0]!), 'bits');
  expectArray(context, 'an argument', filled('f32', [64], 2), fetchArray(context, args[1]!), 'bits');
};

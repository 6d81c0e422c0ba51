import { alloc, type HostArray } from '../../../knowledge/numerics/array.ts';
import { compileProgram } from '../../steps/compile.ts';
import { expectArray } from '../../steps/expect.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { number, probe, program } from '../probe.ts';
import { sampleInputs } from '../support/sample-run.ts';
import { RawExecution } from './raw-execution.ts';

/**
 * One executable called from several threads at a time, each with arguments of its own. What is right is what the same
 * arguments gave before, one call after the other.
 */
export const concurrentExecution = probe(
  'concurrent-execution',
  { program, threads: number, rounds: number },
  async (context, { program, threads, rounds }) => {
    const executable = compileProgram(context, program);
    const arguments_ = Array.from({ length: threads }, (_, t) =>
      sampleInputs(program).map((input) => rotated(input, t)),
    );
    const buffers = arguments_.map((list) => list.map((input) => startPut(context, input)));
    const expected = buffers.map((list) => {
      const run = new RawExecution(context, executable, [list], { events: true });
      run.run();
      for (const event of run.completions()) event.await();
      return run.outputs()[0]!.map((output) => fetchArray(context, output));
    });
    for (let round = 0; round < rounds; round++) {
      const runs = buffers.map((list) => new RawExecution(context, executable, [list], { events: true }));
      await Promise.all(runs.map((run) => run.runAsync()));
      runs.forEach((run, thread) => {
        for (const event of run.completions()) event.await();
        run.outputs()[0]!.forEach((output, i) => {
          expectArray(
            context,
            `output ${i} of a concurrent run`,
            expected[thread]![i]!,
            fetchArray(context, output),
            'bits',
          );
        });
      });
    }
  },
);

/** The elements moved on by some places, so that every thread has its own data and knows whose it got. */
function rotated(array: HostArray, places: number): HostArray {
  const out = alloc(array.dtype, array.shape);
  const shift = (places * array.dtype.hostBytes) % Math.max(1, array.bytes.length);
  out.bytes.set(array.bytes.subarray(shift));
  out.bytes.set(array.bytes.subarray(0, shift), array.bytes.length - shift);
  return out;
}

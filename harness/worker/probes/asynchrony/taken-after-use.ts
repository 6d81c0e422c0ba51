import { compileProgram } from '../../steps/compile.ts';
import { untilItWaits } from '../../steps/execute.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { oneOf, probe } from '../probe.ts';
import { elementwise, hashed, same } from '../support/checks.ts';
import { owned } from '../support/sample-run.ts';

/** The first argument less the second. */
const READS = 'args/two';
/** One more than its argument, in the memory of it. */
const TAKES = 'donation/aliased';
const EXECUTE = 'PJRT_LoadedExecutable_Execute';

/**
 * An execution waits for one argument, and another execution takes the other argument: the first one still computes with it. The second
 * may wait for the first. Who takes what a call has in hand is wrong, so the first call must have returned.
 */
export const takenAfterUse = probe(
  'taken-after-use',
  { via: oneOf('manager', 'anything') },
  async (context, { via }) => {
    const [input, contents] = [hashed('f32', [4], 45), hashed('f32', [4], 46)];
    const [reads, takes] = [compileProgram(context, READS), compileProgram(context, TAKES)];
    const x = startPut(context, input);
    x.awaitReady();
    const late = makePending(context, via, via === 'manager' ? { data: contents } : {});
    let returned = false;
    const reading = reads.executeAsync(context.arena, [[late.buffer!, x]], {}).finally(() => {
      returned = true;
    });
    reading.catch(() => {});
    await context.yieldToCalls();
    await untilItWaits();
    if (!returned) {
      await late.complete();
      owned(context, await reading);
      throw new NotSupported('an execution waits for its arguments before it returns');
    }
    const difference = owned(context, await reading).outputs[0]![0]!;
    const taking = takes.executeAsync(context.arena, [[x]], {});
    taking.catch(() => {});
    await context.yieldToCalls();
    await untilItWaits();
    await late.complete();
    const next = owned(context, await taking).outputs[0]![0]!;
    same(
      'what was computed in the memory of the argument',
      elementwise((b) => b + 1, input),
      fetchArray(context, next),
      EXECUTE,
    );
    same(
      'what an earlier execution, which waited meanwhile, computed with the argument',
      elementwise((a, b) => a - b, late.data, input),
      fetchArray(context, difference),
      EXECUTE,
      'RUN-DON-009',
    );
  },
);

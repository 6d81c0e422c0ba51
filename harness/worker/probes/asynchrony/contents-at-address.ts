import type { HostArray } from '../../../knowledge/numerics/array.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { compileProgram } from '../../steps/compile.ts';
import type { CaseContext } from '../../steps/context.ts';
import { isRefusal } from '../../steps/outcome.ts';
import { makePending } from '../../steps/pending.ts';
import { fetchArray, startPut } from '../../steps/transfer.ts';
import { copiesFrom } from '../arrays/ways-in.ts';
import { oneOf, probe } from '../probe.ts';
import { elementwise, hashed, same } from '../support/checks.ts';
import { sampleInputs, start } from '../support/sample-run.ts';
import { WAITS, type Wait } from './contents-in-time.ts';

// Calls that use a buffer wait for what is not there yet; whoever reads at its address does not, as DLPack's consumers.

/** Negates a scalar, a vector and a matrix. */
const PROGRAM = 'outputs/scalar_vector_matrix';

interface Made {
  buffer: Buffer;
  array: HostArray;
}

const negated = (array: HostArray): HostArray => elementwise((x) => -x, array);

/** Buffers whose contents are made, or come, right before. */
const MAKERS = {
  outputs: async (context: CaseContext): Promise<Made[]> => {
    const inputs = sampleInputs(PROGRAM);
    const args = inputs.map((input) => startPut(context, input));
    const { outputs } = start(context, compileProgram(context, PROGRAM), [args]);
    return outputs[0]!.map((buffer, i) => ({ buffer, array: negated(inputs[i]!) }));
  },
  copies: async (context: CaseContext): Promise<Made[]> => {
    const array = hashed('f32', [1024]);
    const source = startPut(context, array);
    source.awaitReady();
    // A copy to where its source is may be refused, and late.
    const others = copiesFrom(context).filter(({ name }) => name !== 'a copy in the same memory');
    return others.flatMap((copy) => {
      try {
        return [{ buffer: context.scope.own(copy.make(source)), array }];
      } catch (error) {
        if (isRefusal(error)) return [];
        throw error;
      }
    });
  },
  managed: async (context: CaseContext): Promise<Made[]> => {
    const array = hashed('f32', [1024]);
    const pending = makePending(context, 'manager', { data: array });
    await pending.complete();
    return [{ buffer: pending.buffer!, array }];
  },
} as const;

/** When a buffer is ready, its contents are in its memory. Only where that is host memory. */
export const contentsAtAddress = probe(
  'contents-at-address',
  {
    of: oneOf(...(Object.keys(MAKERS) as (keyof typeof MAKERS)[])),
    wait: oneOf(...(Object.keys(WAITS) as (keyof typeof WAITS)[])),
  },
  async (context, { of, wait }) => {
    const ready: Wait = WAITS[wait];
    for (const { buffer, array } of await MAKERS[of](context)) {
      await ready(context, context.scope.own(buffer.readyEvent()));
      const contents = fetchArray(context, buffer, { from: 'address' });
      same(
        'what lies at the address of a buffer that is ready',
        array,
        contents,
        'PJRT_Buffer_ReadyEvent',
        'BUF-RDY-001',
      );
    }
  },
);

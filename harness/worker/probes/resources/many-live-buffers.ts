import { Arena } from '../../ffi/memory.ts';
import type { Buffer } from '../../pjrt/buffer.ts';
import { SEMANTICS } from '../../pjrt/client.ts';
import type { LoadedExecutable } from '../../pjrt/executable.ts';
import type { CaseContext } from '../../steps/context.ts';
import { number, optional, probe } from '../probe.ts';
import { hashed } from '../support/checks.ts';
import { compileFor, upload } from '../support/client-work.ts';

/** Calls that are timed together. */
const BATCH = 20;
/** The fastest of so many batches counts: it is the one that nothing else on the machine disturbed. */
const BATCHES = 15;
/** Longer lists and colder caches make a call slower, but not several times. */
const FACTOR = 6;

const CALLS = ['PJRT_Client_BufferFromHostBuffer', 'PJRT_LoadedExecutable_Execute', 'PJRT_Buffer_Destroy'] as const;
type Times = Record<(typeof CALLS)[number], number>;

/**
 * Calls are timed while few buffers are alive, and again while thousands are. What counts is the ratio of the fastest
 * batches of one process, so neither the speed of the machine nor its load matters.
 */
export const manyLiveBuffers = probe(
  'many-live-buffers',
  { buffers: optional(number, 1000) },
  (context, { buffers: count }) => {
    const executable = context.scope.own(compileFor(context, context.client, 'misc/add_one'));
    const few = fastest(context, executable);
    const living: Buffer[] = [];
    try {
      // A tenth first: what takes ever longer would not reach all of them within the deadline.
      for (const alive of [Math.ceil(count / 10), count]) {
        while (living.length < alive) living.push(upload(context.arena, context.client, ARRAY));
        const many = fastest(context, executable);
        const slow = CALLS.filter((call) => many[call] > FACTOR * few[call]);
        for (const call of slow) {
          const ratio = Math.round(many[call] / few[call]);
          const message = `${call} takes ${ratio} times as long while ${alive} buffers are alive`;
          const detail = `${BATCH} calls: ${milliseconds(few[call])} before, ${milliseconds(many[call])} then`;
          context.report({
            ...{ type: 'pjrt.AssertionFailed', level: 'should', message, detail, call },
            requirements: ['RES-005'],
          });
        }
        if (slow.length > 0) return;
      }
    } finally {
      for (const buffer of living) buffer.destroy();
    }
  },
);

const milliseconds = (ms: number): string => `${ms.toFixed(3)} ms`;

function fastest(context: CaseContext, executable: LoadedExecutable): Times {
  const { client } = context;
  const best: Times = {
    PJRT_Client_BufferFromHostBuffer: Number.POSITIVE_INFINITY,
    PJRT_LoadedExecutable_Execute: Number.POSITIVE_INFINITY,
    PJRT_Buffer_Destroy: Number.POSITIVE_INFINITY,
  };
  const timed = <T>(call: keyof Times, run: () => T): T => {
    const start = performance.now();
    const result = run();
    best[call] = Math.min(best[call], performance.now() - start);
    return result;
  };
  const device = client.firstDevice().pointer;
  for (let batch = 0; batch < BATCHES; batch++) {
    // Memory of the calls is taken in few pieces: that of each would take longer than the call.
    const arena = new Arena();
    const data = arena.input(ARRAY.bytes).address;
    // Only the calls: on most plugins what they start takes longer.
    const sent = timed('PJRT_Client_BufferFromHostBuffer', () =>
      times(() => client.bufferFromHost(arena, { data, device, ...SENT })),
    );
    const inputs = sent.map(({ buffer, done }) => {
      done.await();
      done.destroy();
      buffer.awaitReady();
      return buffer;
    });
    const outputs = timed('PJRT_LoadedExecutable_Execute', () =>
      inputs.map((input) => executable.execute(arena, [[input]]).outputs.flat()),
    );
    for (const output of outputs.flat()) {
      output.awaitReady();
      output.destroy();
    }
    arena.release();
    timed('PJRT_Buffer_Destroy', () => {
      for (const input of inputs) input.destroy();
    });
  }
  return best;
}

const times = <T>(make: () => T): T[] => Array.from({ length: BATCH }, make);

const ARRAY = hashed('f32', [4]);
const SENT = {
  type: ARRAY.dtype.enumValue,
  dims: ARRAY.shape,
  semantics: SEMANTICS['until-transfer-completes'],
};

import { collectGarbage, heapInUse } from '../../ffi/memory-use.ts';
import { PjrtError } from '../../pjrt/errors.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import type { Probe } from '../../steps/steps.ts';
import { numberOption, wordOption } from './probe-options.ts';
import { provokeAnyError } from './provoke-error.ts';

const OBJECTS = ['error', 'context'] as const;

/** Smallest leak that counts: no allocator returns smaller pieces. */
const LEAST_BYTES = 16;
/** Growth of a batch that may as well be a cache filling up. */
const LEAST_GROWTH = 24 * 1024;
/** Resident memory is counted in pages and by everybody in the process, so only a larger leak can be seen in it. */
const LEAST_RESIDENT_BYTES = 1024;

/**
 * Makes and destroys one kind of object that needs no client over and over, in batches. If every batch after the first leaves more memory in
 * use than the one before, by at least so much an object, memory is lost.
 */
export const resourceCycle: Probe = (context, options) => {
  const object = wordOption(options, 'object', OBJECTS);
  const rounds = numberOption(options, 'rounds', 1000);
  const batches = numberOption(options, 'batches', 3);
  const once = makers[object](context);
  try {
    once();
  } catch (error) {
    if (!(error instanceof PjrtError) || error.codeName !== 'UNIMPLEMENTED') throw error;
    throw new NotSupported(`there are no ${object}s: ${error.call} returns UNIMPLEMENTED`);
  }
  const batch = (): { heap: number | undefined; resident: number } => {
    for (let i = 0; i < rounds; i++) once();
    collectGarbage();
    return { heap: heapInUse(), resident: process.memoryUsage.rss() };
  };
  batch();
  const levels = Array.from({ length: batches + 1 }, batch);
  const heap = growth(levels.map((l) => l.heap ?? 0));
  const resident = growth(levels.map((l) => l.resident));
  const lost = heap.every((n) => n >= Math.max(LEAST_BYTES * rounds, LEAST_GROWTH));
  const lostPages = resident.every((n) => n >= Math.max(LEAST_RESIDENT_BYTES * rounds, 1 << 20));
  if (!lost && !lostPages) return;
  context.report({
    type: 'pjrt.ResourceLeak',
    level: 'should',
    message: `creating and destroying ${object}s over and over uses up memory`,
    detail:
      `growth in ${batches} batches of ${rounds} ${object}s\n` +
      `allocated: ${heap.join(', ')} bytes\nresident: ${resident.join(', ')} bytes`,
  });
};

const growth = (levels: readonly number[]): number[] => levels.slice(1).map((n, i) => n - levels[i]!);

/** One round each: makes an object, and destroys it. */
const makers: Record<(typeof OBJECTS)[number], (context: CaseContext) => () => void> = {
  error: (context) => () => provokeAnyError(context).destroy(),
  context: (context) => () => {
    const pointer = context.api.invoke(
      'PJRT_ExecuteContext_Create',
      () => {},
      (call) => call.word('context'),
    );
    context.api.invoke('PJRT_ExecuteContext_Destroy', (call) => call.setWord('context', pointer));
  },
};

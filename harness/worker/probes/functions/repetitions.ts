import { groupedBy } from '../../../base/grouping.ts';
import { Arena } from '../../ffi/memory.ts';
import type { CaseContext } from '../../steps/context.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { runValidCall } from '../../steps/run-valid-call.ts';
import { growthOf } from '../../steps/soak.ts';
import { number, probe } from '../probe.ts';
import { functionsOf, tryOut } from './offered.ts';

/** Functions that are not called again and again here, and why. */
export const NOT_REPEATED: Readonly<Record<string, string>> = {
  PJRT_Client_Create: 'a client is dear, and some devices have one at a time (resources/leaks:clients)',
  PJRT_Client_Destroy: 'a client is dear, and some devices have one at a time (resources/leaks:clients)',
  PJRT_Client_DmaMap: 'what cannot be unmapped stays mapped',
  PJRT_Client_UpdateGlobalProcessInfo: 'it is for a job of several processes',
  PJRT_Device_PoisonExecution: 'what is poisoned is remembered',
  PJRT_LoadedExecutable_Execute: 'executions have loops of their own (resources/leaks:executions)',
};

/** Milliseconds that a call may take; what compiles has loops of its own (resources/leaks). */
const CHEAP_MS = 1;
/** Milliseconds that the calls of a phase may take together, and the rounds that it must have to show anything. */
const PHASE_MS = 10_000;
/** Milliseconds that a phase should take with all that its calls need: the second half of the rounds is not worth more. */
const WORTH_MS = 1_500;
/** Milliseconds that a call may take with all that it needs, such as a compilation; of the others each is made in one of so many rounds. */
const DEAR_MS = 3;
const DEAR_EVERY = 8;
const LEAST_ROUNDS = 40;
/** Bytes that one round of all functions must lose. */
const LEAST = 8;
/** In how many windows the times of a phase are looked at. */
const WINDOWS = 3;
/** How much slower the fastest call of a window must be than that of the first one, and by how many milliseconds. */
const SLOWER = 6;
const SLOWER_MS = 0.05;

/**
 * Every function is called again and again, with all that it needs made and destroyed each time: nothing that the process
 * has may grow, and no call may become slower. One loop is for all; only if something grows, each kind of object has one of its own.
 */
export const everyFunctionRepeated = probe(
  'every-function-repeated',
  { rounds: number },
  async (context, { rounds }) => {
    const all = functionsOf(context, 'any', NOT_REPEATED).map((name) => ({ name, ...costOf(context, name) }));
    const cheap = all.filter(({ own }) => own <= CHEAP_MS);
    const names = cheap.map(({ name }) => name);
    const dear = new Set(cheap.filter(({ whole }) => whole > DEAR_MS).map(({ name }) => name));
    const phaseMs = cheap.reduce((sum, { own }) => sum + own, 0) * rounds;
    const affordable = Math.floor(rounds * Math.min(1, PHASE_MS / phaseMs));
    if (affordable < LEAST_ROUNDS) throw new NotSupported('calls take too long to be made often');
    const roundMs = cheap.reduce((sum, { name, whole }) => sum + (dear.has(name) ? whole / DEAR_EVERY : whole), 0);
    const worth = Math.floor(WORTH_MS / roundMs);
    await repeat(context, names, dear, Math.min(affordable, Math.max(LEAST_ROUNDS, Math.ceil(affordable / 2), worth)));
  },
);

/** Milliseconds of a valid call of a function: in itself, and with all that it needs; the least of three. */
function costOf(context: CaseContext, name: string): { own: number; whole: number } {
  const tries = [1, 2, 3].map(() => {
    const began = performance.now();
    const own = tryOut(() => timed(context, name)) ?? Number.POSITIVE_INFINITY;
    return { own, whole: performance.now() - began };
  });
  return { own: Math.min(...tries.map(({ own }) => own)), whole: Math.min(...tries.map(({ whole }) => whole)) };
}

async function repeat(
  context: CaseContext,
  names: readonly string[],
  dear: ReadonlySet<string>,
  rounds: number,
): Promise<void> {
  const { recording } = context.instrument;
  const times = new Map(names.map((name): [string, number[]] => [name, []]));
  let windows = 0;
  const loop = async (some: readonly string[], count: number): Promise<void> => {
    const first = windows;
    windows += WINDOWS;
    for (let round = 0; round < count; round++) {
      recording?.round();
      const once = async (): Promise<void> => {
        for (const name of some) {
          if (dear.has(name) && round % DEAR_EVERY > 0) continue;
          const took = tryOut(() => timed(context, name));
          const fastest = times.get(name)!;
          const window = first + Math.floor((round * WINDOWS) / count);
          fastest[window] = Math.min(took ?? Number.POSITIVE_INFINITY, fastest[window] ?? Number.POSITIVE_INFINITY);
        }
      };
      await context.iteration(`round ${round + 1} of ${count}`, false, once, new Arena());
    }
  };
  const growth = (some: readonly string[]) =>
    growthOf({ rounds, least: LEAST, phase: () => loop(some, rounds), recording });
  const grown = await growth(names);
  for (const [name, fastest] of times) reportSlower(context, name, fastest);
  if (!grown) return;
  const growing: string[] = [];
  for (const [object, some] of groupedBy(names, objectOf)) if (await growth(some)) growing.push(object);
  context.report({
    type: 'pjrt.ResourceLeak',
    level: 'should',
    message: `${grown.what}, in each of which ${names.length} functions are called`,
    detail: `${grown.detail}\nit grows with the functions of: ${growing.join(', ') || 'no kind of object alone'}`,
    requirements: ['RES-001'],
  });
}

/** `PJRT_Buffer`: what a function is about. */
const objectOf = (name: string): string => /^(?:\w+\.)?[^_]+(?:_[^_]+)?/.exec(name)![0];

/** Milliseconds in the function itself during one valid call of it; undefined if it fails. */
function timed(context: CaseContext, name: string): number | undefined {
  const time = context.api.instrument.time(name);
  const before = time.ms;
  const { error } = runValidCall(context, name);
  return error ? undefined : time.ms - before;
}

/** The fastest call of many is not slower because the machine has other things to do. */
function reportSlower(context: CaseContext, name: string, windows: readonly number[]): void {
  const [first, last] = [windows[0] ?? 0, windows.at(-1) ?? 0];
  const rises = windows.every((took, i) => i === 0 || took > windows[i - 1]!);
  if (!rises || last < SLOWER * first || last - first < SLOWER_MS) return;
  context.report({
    type: 'pjrt.AssertionFailed',
    level: 'should',
    message: `${name} becomes slower the more often it is called`,
    detail: `fastest call of each of ${windows.length} windows: ${windows.map((ms) => `${ms.toFixed(3)} ms`).join(', ')}`,
    call: name,
    requirements: ['RES-007'],
  });
}

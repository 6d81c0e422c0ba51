import { Arena } from '../../ffi/memory.ts';
import type { CaseContext } from '../../steps/context.ts';
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
};

/** Milliseconds that a call may take to be made often, and to be made at all. */
const CHEAP_MS = 0.2;
const DEAR_MS = 30;
/** Rounds of a phase with calls that are dear. */
const DEAR_ROUNDS = 6;
/** Bytes that one round of all functions must lose. */
const LEAST = 8;
/** Rounds of one function, to see whether it is the one that loses something. */
const BLAMING_ROUNDS = 30;
/** In how many windows the times of a phase are looked at. */
const WINDOWS = 3;
/** How much slower the fastest call of a window must be than that of the first one, and by how many milliseconds. */
const SLOWER = 8;
const SLOWER_MS = 0.05;

/**
 * Every function is called again and again, with all that it needs made and destroyed each time: nothing that the process
 * has may grow, and no call may become slower. One loop is for all; only if something grows, each has one of its own.
 */
export const everyFunctionRepeated = probe('every-function-repeated', { rounds: number }, async (context, { rounds }) => {
  const offered = functionsOf(context, 'any', NOT_REPEATED).flatMap((name) => {
    const took = Math.min(...[1, 2, 3].map(() => tryOut(() => timed(context, name)) ?? Number.POSITIVE_INFINITY));
    return took <= DEAR_MS ? [{ name, took }] : [];
  });
  const cheap = offered.filter(({ took }) => took <= CHEAP_MS).map(({ name }) => name);
  const dear = offered.filter(({ took }) => took > CHEAP_MS).map(({ name }) => name);
  await repeat(context, cheap, rounds);
  await repeat(context, dear, DEAR_ROUNDS);
});

async function repeat(context: CaseContext, names: readonly string[], rounds: number): Promise<void> {
  const times = new Map(names.map((name): [string, number[]] => [name, []]));
  const loop = async (some: readonly string[], count: number): Promise<void> => {
    for (let round = 0; round < count; round++) {
      const once = async (): Promise<void> => {
        for (const name of some) {
          const took = timed(context, name);
          const fastest = times.get(name)!;
          if (round % Math.ceil(count / WINDOWS) === 0) fastest.push(Number.POSITIVE_INFINITY);
          if (took !== undefined) fastest.push(Math.min(took, fastest.pop()!));
        }
      };
      await context.iteration(`round ${round + 1} of ${count}`, false, once, new Arena());
    }
  };
  const phase = (): Promise<void> => loop(names, rounds);
  const grown = await growthOf({ rounds, least: LEAST, phase });
  for (const [name, windows] of times) reportSlower(context, name, windows);
  if (!grown) return;
  const loops: Loop[] = [];
  for (const name of names) loops.push(await watched(context, grown.level, () => loop([name], BLAMING_ROUNDS)));
  const call = toBlame(loops);
  report(context, call, `${grown.what} of ${call ?? `${names.length} functions`}`, grown.detail);
}

/** What was called, and what the calls themselves have left behind. */
interface Loop {
  calls: ReadonlySet<string>;
  left: number;
}

/** Looks at each call by itself, so that what the harness takes meanwhile does not count. */
async function watched({ api }: CaseContext, level: () => number, run: () => Promise<void>): Promise<Loop> {
  const { instrument } = api;
  const { trace } = instrument;
  const calls = new Set<string>();
  let left = 0;
  instrument.trace = (name, after) => {
    calls.add(name);
    left += after ? level() : -level();
    trace?.(name, after);
  };
  try {
    await run();
  } finally {
    instrument.trace = trace;
  }
  return { calls, left };
}

/** What every loop that loses something calls, and no other one: a valid call makes and destroys more than its function. */
function toBlame(loops: readonly Loop[]): string | undefined {
  const loses = ({ left }: Loop): boolean => left >= LEAST * BLAMING_ROUNDS;
  const innocent = new Set(loops.flatMap((loop) => (loses(loop) ? [] : [...loop.calls])));
  const [first, ...others] = loops.filter(loses);
  return [...(first?.calls ?? [])].find((name) => !innocent.has(name) && others.every(({ calls }) => calls.has(name)));
}

const report = (context: CaseContext, call: string | undefined, message: string, detail: string): void =>
  context.report({ type: 'pjrt.ResourceLeak', level: 'should', message, detail, call, requirements: ['RES-001'] });

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


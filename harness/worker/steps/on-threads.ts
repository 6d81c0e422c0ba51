import type { Step, StepBody } from '../../suite/types.ts';
import type { CaseContext } from './context.ts';
import { listOf } from './loop.ts';

type OnThreads = Extract<StepBody, { verb: 'on-threads' }>;

/** What a lane is called, the names that it has of its own, and what it does. */
interface Lane {
  label: string;
  names: readonly [string, unknown][];
  steps: readonly Step[];
}

/** `on-threads`: the steps in several lanes at once, the native calls of each on other threads. */
export async function onThreads(
  context: CaseContext,
  step: OnThreads,
  run: (lane: CaseContext, step: Step) => Promise<void>,
): Promise<void> {
  const lanes = lanesOf(context, step);
  await context.lanes(
    lanes.map(({ label }) => label),
    async (lane, i) => {
      const { names, steps } = lanes[i]!;
      for (const [name, value] of names) lane.bind(name, value);
      for (const inner of steps) await run(lane, inner);
    },
  );
}

function lanesOf(context: CaseContext, { lanes, steps }: OnThreads): Lane[] {
  if (lanes === 'each') {
    return steps.map((one) => ({ label: `beside others: the step in line ${one.line}`, names: [], steps: [one] }));
  }
  const names = Object.entries(lanes).map(([name, of]): [string, number | unknown[]] => [
    name,
    typeof of === 'number' ? of : listOf(context, of),
  ]);
  const counts = names.flatMap(([, of]) => (typeof of === 'number' ? [of] : []));
  const count = counts[0] ?? Math.max(...names.map(([, of]) => (of as unknown[]).length));
  return Array.from({ length: count }, (_, i) => ({
    label: `in lane ${i + 1} of ${count}`,
    names: names.map(([name, of]): [string, unknown] => [name, typeof of === 'number' ? i + 1 : of[i % of.length]]),
    steps,
  }));
}

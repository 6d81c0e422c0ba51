import type { Step, StepBody } from '../../suite/types.ts';
import { Arena } from '../ffi/memory.ts';
import type { CaseContext } from './context.ts';
import type { Origin } from './origin.ts';
import { SuiteFault } from './outcome.ts';
import { same } from './predicate.ts';

/** Runs a step inside a block. */
export type RunStep = (step: Step) => Promise<void>;

/** `for-each`: the steps once for each element, which is bound under the name that the loop gives it. */
export async function forEach(
  context: CaseContext,
  step: Extract<StepBody, { verb: 'for-each' }>,
  run: RunStep,
): Promise<void> {
  const left = step.except === undefined ? [] : listOf(context, step.except);
  const elements = listOf(context, step.list)
    .map((value, i) => ({ value, origins: originsOfElement(context, step.list, i) }))
    .filter(({ value }) => !left.some((other) => same(value, other)));
  await iterate(context, step, elements.length, run, {
    label: (i) => `with $${step.name} = element ${i} of ${elements.length}`,
    begin: (i) => context.bind(step.name, elements[i]!.value, elements[i]!.origins),
  });
}

const originsOfElement = (context: CaseContext, list: string | readonly unknown[], i: number): readonly Origin[] =>
  context.originsOf(typeof list === 'string' ? list : list[i]).map(({ listed: _, ...origin }) => origin);

/** `repeat`: the steps several times. */
export const repeat = (
  context: CaseContext,
  step: Extract<StepBody, { verb: 'repeat' }>,
  run: RunStep,
): Promise<void> => iterate(context, step, step.times, run, { label: (i) => `time ${i + 1} of ${step.times}` });

/**
 * Runs the steps of a block so many times.
 * @param memory gives the memory of the harness in an iteration, if that ends with it
 */
export async function iterate(
  context: CaseContext,
  { steps, collect = {}, gather = {} }: Extract<StepBody, { verb: 'for-each' | 'repeat' | 'soak' }>,
  count: number,
  run: RunStep,
  { label, begin, memory }: { label(i: number): string; begin?(i: number): void; memory?(): Arena },
): Promise<void> {
  const collected = [
    ...Object.entries(collect).map(([name, from]) => ({ name, from, of: () => [contribution(context, from)] })),
    ...Object.entries(gather).map(([name, from]) => ({ name, from, of: () => listOf(context, from) })),
  ].map((list) => ({ ...list, values: [] as unknown[], origins: [] as Origin[] }));
  for (let i = 0; i < count; i++) {
    const once = async (): Promise<void> => {
      begin?.(i);
      for (const step of steps) await run(step);
      for (const list of collected) {
        list.values.push(...list.of());
        list.origins = [list.from]
          .flat()
          .flatMap((one) => context.originsOf(one))
          .map((one) => ({ ...one, listed: true }));
      }
    };
    await context.iteration(
      label(i),
      collected.length > 0,
      once,
      memory?.() ?? memoryOf(context, collected.length > 0),
    );
  }
  for (const { name, values, origins } of collected) context.bind(name, values, origins);
}

/** Lanes repeat much work on much data, so that their memory ends with an iteration, unless it keeps something. */
const memoryOf = ({ isLane }: CaseContext, keeps: boolean): Arena | undefined =>
  isLane && !keeps ? new Arena({ guardsInputs: true }) : undefined;

/** The elements of a list, or of what a reference to one leads to. */
export function listOf(context: CaseContext, list: string | readonly unknown[]): unknown[] {
  const value = typeof list === 'string' ? context.resolve(list) : list;
  if (!Array.isArray(value)) throw new SuiteFault(`${String(list)} is not a list`);
  return value.map((element) => (isReference(element) ? context.resolve(element) : element));
}

const contribution = (context: CaseContext, reference: string | readonly string[]): unknown =>
  typeof reference === 'string' ? context.resolve(reference) : reference.map((part) => context.resolve(part));

const isReference = (value: unknown): value is string => typeof value === 'string' && value.startsWith('$');

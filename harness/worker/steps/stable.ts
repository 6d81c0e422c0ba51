import type { StepBody } from '../../suite/types.ts';
import type { Call } from '../pjrt/call.ts';
import { writeArguments } from './call-arguments.ts';
import { readField, takeHandles } from './call-results.ts';
import type { CaseContext } from './context.ts';
import { checkUnchanged, type HeldMemory, heldMemory } from './held-memory.ts';
import { argsOf, withCall } from './named-call.ts';
import { CheckFailure, SuiteFault } from './outcome.ts';
import { same } from './predicate.ts';
import { showOf } from './words.ts';

type CallStep = Extract<StepBody, { verb: 'call' }>;

const REPETITIONS = 3;

/** What a call gave: its outputs, and the memory that they lead to. */
export interface Answer {
  contents: Map<string, unknown>;
  memory: Map<string, HeldMemory>;
}

/**
 * `stable`: asks the same question again and again. The contents must be the same, and the memory of the first answer must keep
 * them; the header does not say that it is the same memory each time.
 * @throws CheckFailure
 */
export function checkStable(context: CaseContext, step: CallStep, first: Answer): void {
  const name = step.function;
  for (let i = 0; i < REPETITIONS; i++) {
    const again = ask(context, step);
    for (const [field, value] of again.contents) {
      const before = first.contents.get(field);
      if (same(before, value)) continue;
      const show = showOf(context.api.pluginAbi, argsOf(context.api, name).field(field));
      throw new CheckFailure({
        type: 'pjrt.AssertionFailed',
        message: `${name} gave ${show(before)} as ${field}, and later ${show(value)}`,
        call: name,
      });
    }
  }
  for (const memory of first.memory.values()) checkUnchanged(memory);
}

function ask(context: CaseContext, step: CallStep): Answer {
  const { api } = context;
  return withCall(api, step.function, (call) => {
    writeArguments(context, call, step.with ?? {});
    call.run();
    // What backs the contents of an answer lives as long as the case.
    takeHandles(context, call);
    return answerIn(context, call);
  });
}

/** The answer in the block of a call that has returned. @throws SuiteFault if each answer is another object */
export function answerIn(context: CaseContext, call: Call): Answer {
  const fields = call.layout.outputs;
  const owned = fields.find((f) => f.destroy !== undefined || f.deleter !== undefined);
  if (owned) throw new SuiteFault(`${call.name} makes a new ${owned.name} each time, so \`stable\` does not apply`);
  const contents = fields.map((f) => [f.name, readField(context, call, f, new Map(), [])] as const);
  const memory = fields.flatMap((f) => {
    const held = heldMemory(context.api, call, f.name);
    return held ? [[f.name, held] as const] : [];
  });
  return { contents: new Map(contents), memory: new Map(memory) };
}

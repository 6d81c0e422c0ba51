import type { Step, StepBody } from '../../suite/types.ts';
import { AbsentError, PjrtError } from '../pjrt/errors.ts';
import { call } from './call.ts';
import { compile } from './compile.ts';
import type { CaseContext } from './context.ts';
import { decode } from './decode.ts';
import { execute, executeMeanwhile } from './execute.ts';
import { expect } from './expect.ts';
import { layout } from './layouts.ts';
import { awaitStep, client, destroy } from './lifetime.ts';
import { forEach, repeat } from './loop.ts';
import { observe } from './observe.ts';
import { onThreads } from './on-threads.ts';
import { answerOf, CheckFailure, causeOf, NotSupported, refusal, SuiteFault } from './outcome.ts';
import { complete, pending } from './pending.ts';
import { program } from './program.ts';
import { soak } from './soak.ts';
import { get, getMeanwhile, put, read } from './transfer.ts';

/** A check that no list of steps can say: concurrency, callbacks, guard pages, whole-table scans. */
export type Probe = (context: CaseContext, options: Readonly<Record<string, unknown>>) => void | Promise<void>;

/** Loads the probe of a name; undefined if there is none. */
export type ProbeNamed = (name: string) => Promise<Probe | undefined>;

/**
 * Runs one step of a case.
 * @param breaks what the loop around it violates if the step does not say so itself
 * @throws CheckFailure, NotSupported, PjrtError, AbsentError, BadDataError; anything else is an internal error
 */
export async function runStep(
  context: CaseContext,
  step: Step,
  probeNamed: ProbeNamed,
  breaks?: readonly string[],
): Promise<void> {
  context.line = step.line;
  context.breaks = step.breaks ?? breaks;
  context.instrument.breadcrumb?.line(step.line);
  try {
    await perform(context, step, probeNamed);
  } catch (error) {
    if (step.refusable !== undefined) throw refusal(error, `the plugin refuses ${step.refusable}`);
    throw step.precondition === undefined ? error : unmet(step.precondition, error);
  }
}

/** What a precondition that does not hold makes of its step's failure; internal errors stay what they are. */
function unmet(precondition: string, error: unknown): unknown {
  // A function that is not offered makes the case unsupported by itself, and says why.
  if (error instanceof PjrtError && error.codeName !== 'UNIMPLEMENTED')
    return new NotSupported(`needs that ${precondition}: ${answerOf(error)}`, causeOf(error));
  if (error instanceof CheckFailure) return new NotSupported(`needs that ${precondition}: ${error.finding.message}`);
  return error;
}

/** `if-offered`: what the plugin does not offer ends these steps, and not the case. */
async function ifOffered(
  context: CaseContext,
  { steps }: Extract<StepBody, { verb: 'if-offered' }>,
  run: (step: Step) => Promise<void>,
): Promise<void> {
  try {
    await context.within(async () => {
      for (const step of steps) await run(step);
    });
  } catch (error) {
    const absent = error instanceof NotSupported || error instanceof AbsentError;
    const refused = error instanceof PjrtError && error.codeName === 'UNIMPLEMENTED';
    if (!absent && !refused) throw error;
  }
}

async function perform(context: CaseContext, step: Step, probeNamed: ProbeNamed): Promise<void> {
  const { breaks } = context;
  const run = (inner: Step): Promise<void> => runStep(context, inner, probeNamed, breaks);
  switch (step.verb) {
    case 'data':
      return context.bind(step.as, context.data(step.data));
    case 'program':
      return program(context, step);
    case 'recorded':
      return (await import('./recorded.ts')).recorded(context, step);
    case 'pending':
      return pending(context, step);
    case 'complete':
      return complete(context, step);
    case 'read':
      return read(context, step);
    case 'decode':
      return decode(context, step);
    case 'layout':
      return layout(context, step);
    case 'put':
      return context.make(put(context, step));
    case 'get':
      return step.steps ? getMeanwhile(context, { ...step, steps: step.steps }, run) : context.make(get(context, step));
    case 'compile':
      return context.make(compile(context, step));
    case 'execute':
      return step.steps
        ? executeMeanwhile(context, { ...step, steps: step.steps }, run)
        : context.make(execute(context, step));
    case 'call':
      return context.make(call(context, step));
    case 'valid-call':
      return (await import('./valid-call.ts')).validCall(context, step);
    case 'expect':
      return expect(context, step);
    case 'observe':
      return observe(context, step);
    case 'await':
      return context.make(awaitStep(context, step));
    case 'destroy':
      return destroy(context, step);
    case 'client':
      return client(context, step);
    case 'for-each':
      return forEach(context, step, run);
    case 'repeat':
      return repeat(context, step, run);
    case 'soak':
      return soak(context, step, run);
    case 'on-threads':
      return onThreads(context, step, (lane, inner) => runStep(lane, inner, probeNamed, breaks));
    case 'if-offered':
      return ifOffered(context, step, run);
    case 'store':
      return (await import('./store.ts')).store(context, step);
    case 'unjudged':
      throw new NotSupported(step.because);
    case 'consult':
      throw new SuiteFault('no oracle was asked');
    case 'probe': {
      const probe = await probeNamed(step.name);
      if (!probe) throw new SuiteFault(`there is no probe ${step.name}`);
      return probe(context, step.with ?? {});
    }
  }
}

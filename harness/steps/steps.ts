import { PjrtError } from '../pjrt/errors.ts';
import type { Step } from '../suite/types.ts';
import { call } from './call.ts';
import { compile } from './compile.ts';
import type { CaseContext } from './context.ts';
import { execute } from './execute.ts';
import { expect } from './expect.ts';
import { awaitStep, client, destroy } from './lifetime.ts';
import { forEach, repeat } from './loop.ts';
import { answerOf, CheckFailure, causeOf, NotSupported, SuiteFault } from './outcome.ts';
import { program } from './program.ts';
import { get, put } from './transfer.ts';

/** A check that no list of steps can say: concurrency, callbacks, guard pages, whole-table scans. */
export type Probe = (context: CaseContext, options: Readonly<Record<string, unknown>>) => void | Promise<void>;

/**
 * Runs one step of a case.
 * @param breaks what the loop around it violates if the step does not say so itself
 * @throws CheckFailure, NotSupported, PjrtError, AbsentError, BadDataError; anything else is an internal error
 */
export async function runStep(
  context: CaseContext,
  step: Step,
  probes: Readonly<Record<string, Probe>>,
  breaks?: readonly string[],
): Promise<void> {
  context.line = step.line;
  context.breaks = step.breaks ?? breaks;
  context.instrument.breadcrumb?.line(step.line);
  if (step.precondition === undefined) return perform(context, step, probes);
  try {
    await perform(context, step, probes);
  } catch (error) {
    throw unmet(step.precondition, error);
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

async function perform(context: CaseContext, step: Step, probes: Readonly<Record<string, Probe>>): Promise<void> {
  const { breaks } = context;
  switch (step.verb) {
    case 'data':
      return context.bind(step.as, context.data(step.data));
    case 'program':
      return program(context, step);
    case 'put':
      return put(context, step);
    case 'get':
      return get(context, step);
    case 'compile':
      return compile(context, step);
    case 'execute':
      return execute(context, step);
    case 'call':
      return call(context, step);
    case 'expect':
      return expect(context, step);
    case 'await':
      return awaitStep(context, step);
    case 'destroy':
      return destroy(context, step);
    case 'client':
      return client(context, step);
    case 'for-each':
      return forEach(context, step, (inner) => runStep(context, inner, probes, breaks));
    case 'repeat':
      return repeat(context, step, (inner) => runStep(context, inner, probes, breaks));
    case 'probe': {
      const probe = probes[step.name];
      if (!probe) throw new SuiteFault(`there is no probe ${step.name}`);
      return probe(context, step.with ?? {});
    }
  }
}

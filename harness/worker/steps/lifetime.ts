import type { Options } from '../../model/plugin.ts';
import type { StepBody } from '../../suite/types.ts';
import { overwritingFreed } from '../ffi/libc.ts';
import type { Calls } from '../pjrt/calls.ts';
import { Client } from '../pjrt/client.ts';
import { Event } from '../pjrt/event.ts';
import { Handle } from '../pjrt/handle.ts';
import type { CaseContext } from './context.ts';
import { expectingError } from './expected-error.ts';
import { KeyValueStore } from './key-value-store.ts';
import { createNodes } from './nodes.ts';
import { SuiteFault } from './outcome.ts';
import { suiteOptions } from './suite-options.ts';

type ClientStep = Extract<StepBody, { verb: 'client' }>;

/** `client`: creates a client of the case's own, next to the shared one if there is one, or the clients of a job. */
export async function client(context: CaseContext, step: ClientStep): Promise<void> {
  const options = suiteOptions(step.options ?? {});
  if (step.nodes !== undefined) context.bind(step.as, await job(context, step.nodes, options));
  else await context.make(creating(context, step, options));
}

function* creating(context: CaseContext, step: ClientStep, options: Options): Calls<void> {
  const subject =
    step.plugin === undefined
      ? context.subjects[0]!
      : context.subjects.find((s) => s.plugin === context.resolve(step.plugin!));
  if (!subject) throw new SuiteFault(`${step.plugin} is not a plugin`);
  const calls = Client.creating(subject.plugin.api, context.arena, { ...subject.setup.options, ...options });
  const outcome = yield* expectingError(context, step.error, 'PJRT_Client_Create', calls);
  if ('value' in outcome) context.bind(step.as, context.scope.own(outcome.value));
}

/** The clients of a job, which the case owns. Their store ends after them. */
async function job(context: CaseContext, count: number, options: Options): Promise<Client[]> {
  const store = new KeyValueStore(context, {});
  context.scope.defer(() => void store.close());
  const { clients, failure } = await createNodes(context, store, count, options);
  for (const node of clients) context.scope.own(node);
  if (failure) throw failure.cause;
  return clients;
}

/** `await`: an event, or a buffer's readiness. */
export function* awaitStep(context: CaseContext, step: Extract<StepBody, { verb: 'await' }>): Calls<void> {
  const wait = function* (): Calls<void> {
    if (step.event !== undefined) yield* context.resolveAs(step.event, Event, 'an event').waiting();
    if (step.buffer !== undefined) yield* context.resolveBuffer(step.buffer).readying();
  };
  yield* expectingError(context, step.error, 'PJRT_Event_Await', wait());
}

/** `destroy`: ends the life of a handle now instead of at the end of the case. */
export function destroy(context: CaseContext, step: Extract<StepBody, { verb: 'destroy' }>): void {
  const handle = context.resolve(step.of) as { destroy?: () => void } | undefined | null;
  if (handle === undefined || handle === null) context.resolveAs(step.of, Handle, 'an object');
  if (typeof handle?.destroy !== 'function') throw new SuiteFault(`${step.of} is not something that can be destroyed`);
  const end = (): void => handle.destroy!();
  step.overwritten ? overwritingFreed(end) : end();
}

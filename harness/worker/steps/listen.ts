import type { StepBody } from '../../suite/types.ts';
import { Event } from '../pjrt/event.ts';
import type { CaseContext } from './context.ts';
import { CheckFailure } from './outcome.ts';
import { type Watch, watch } from './watch.ts';

/** What a callback must find as its user argument: another one for each. */
let tokens = 0x5eed4000n;

/** A callback of an event, with its own user argument. */
class Listener {
  readonly watch: Watch;
  readonly #token = tokens++;

  constructor(context: CaseContext, event: Event) {
    this.watch = watch(context, event, this.#token);
  }

  get token(): bigint {
    return this.#token;
  }
}

/** `listen`: registers a callback on an event. */
export function listen(context: CaseContext, { to, as }: Extract<StepBody, { verb: 'listen' }>): void {
  context.bind(as, new Listener(context, context.resolveAs(to, Event, 'an event')));
}

/** `heard`: how often the callback was called, and with what. A call that is due is waited for. */
export async function heard(context: CaseContext, step: Extract<StepBody, { verb: 'heard' }>): Promise<void> {
  const { watch: seen, token } = context.resolveAs(step.by, Listener, 'what a step `listen` bound');
  if (step.times > 0) await seen.first();
  await context.yieldToCalls();
  const { length } = seen.firings;
  if (length !== step.times) {
    const due = step.times === 0 ? 'before its event is ready' : `${length} times`;
    throw fault(`a callback was called ${due}`);
  }
  const [firing] = seen.firings;
  if (!firing) return;
  if (firing.token !== token) throw fault('a callback got another user argument than its own');
  const code = firing.error?.codeName;
  if (step.error === 'any' ? code === undefined : code !== step.error)
    throw fault(`a callback got ${code ?? 'no error'}, expected ${step.error ?? 'none'}`);
  if (step.message !== undefined && !firing.error?.text.includes(step.message))
    throw fault(`the error that a callback got says "${firing.error?.text}", expected "${step.message}" in it`);
}

const fault = (message: string) =>
  new CheckFailure({ type: 'pjrt.CallbackContract', message, call: 'PJRT_Event_OnReady' });

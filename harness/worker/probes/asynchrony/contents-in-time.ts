import { setTimeout as sleep } from 'node:timers/promises';
import { watchRunDelay } from '../../ffi/run-delay.ts';
import type { Event } from '../../pjrt/event.ts';
import type { CaseContext } from '../../steps/context.ts';
import { type Started, type Work, workOf } from '../../steps/in-flight.ts';
import { NotSupported } from '../../steps/outcome.ts';
import { fetchArray } from '../../steps/transfer.ts';
import { watch } from '../../steps/watch.ts';
import { oneOf, probe, type Values } from '../probe.ts';
import { same, violated } from '../support/checks.ts';

// An event says that contents are there. Whether it says so too early shows in how long a read takes right after it, compared
// with later reads of the same buffer: a read waits for what is not there. Time in which the machine was busy with something
// else does not count, and one run without a wait is enough, because a read may take long for other reasons.

const ROUNDS = 5;
const LATER_READS = 3;
/** What a read may take longer than the slowest later one: far more than a call, far less than the work. */
const LATE_MS = 10;
const TOKEN = 0x5eed3000n;

const KINDS = ['execution', 'transfer', 'copy'] as const;
/** Waits until an event is ready, by one of its functions. */
export type Wait = (context: CaseContext, event: Event) => void | Promise<void>;

export const WAITS: Readonly<Record<'await' | 'is-ready' | 'on-ready', Wait>> = {
  await: (_context, event) => event.callAwait(),
  'is-ready': async (_context, event) => {
    while (!event.isReady()) await new Promise((resolve) => setImmediate(resolve));
  },
  'on-ready': async (context, event) => {
    await watch(context, event, TOKEN).first();
  },
};

/** What is in progress, and the function that waits for it. */
const WAITING = {
  via: oneOf(...KINDS),
  wait: oneOf(...(Object.keys(WAITS) as (keyof typeof WAITS)[])),
};

/** The ready event of a buffer whose contents are on their way. */
export const contentsWhenReady = probe('contents-when-ready', WAITING, (context, options) =>
  judge(context, options, {
    events: false,
    eventOf: (started) => context.scope.own(started.buffer.readyEvent()),
    what: 'the ready event of a buffer',
    requirement: 'BUF-RDY-001',
    call: 'PJRT_Buffer_ReadyEvent',
  }),
);

/** The completion event of an execution. */
export const contentsWhenComplete = probe('contents-when-complete', WAITING, (context, options) =>
  judge(context, options, {
    events: true,
    eventOf: ({ completion }) => completion,
    what: 'the completion event of an execution',
    requirement: 'RUN-EVT-001',
    call: 'PJRT_LoadedExecutable_Execute',
  }),
);

interface Subject {
  events: boolean;
  eventOf(started: Started): Event | undefined;
  what: string;
  requirement: string;
  call: string;
}

async function judge(context: CaseContext, { via, wait: by }: Values<typeof WAITING>, subject: Subject): Promise<void> {
  const { what, requirement, call } = subject;
  const wait = WAITS[by];
  const work: Work = workOf(context, via);
  const lags: number[] = [];
  let wasInFlight = false;
  let isAnnounced = true;
  for (let round = 0; round < ROUNDS; round++) {
    const started = work.start({ events: subject.events });
    const event = subject.eventOf(started) ?? violated('no completion event was made', call, requirement);
    wasInFlight ||= !event.isReady();
    await wait(context, event);
    isAnnounced &&= context.scope.own(started.buffer.readyEvent()).isReady();
    const lag = lagOf(context, started, subject);
    if (lag >= LATE_MS) lags.push(lag);
    else if (wasInFlight) return;
    else if (round + 1 - lags.length >= 2) break;
  }
  if (lags.length < ROUNDS) throw new NotSupported(`nothing was in flight: ${work.atOnce}`);
  // What comes late is there after that time; a first read that is slow because of itself, as by a copy on the host, is not faster then.
  const started = work.start({ events: subject.events });
  await wait(context, subject.eventOf(started) ?? violated('no completion event was made', call, requirement));
  await sleep(2 * Math.max(...lags));
  if (lagOf(context, started, subject) >= LATE_MS)
    throw new NotSupported('the first read of a buffer takes longer than later ones whenever it comes');
  const message = `${what} is ready before the contents are: a read right after it takes ${Math.round(Math.min(...lags))} ms or more longer than later ones, in each of ${ROUNDS} runs`;
  // A run may be over, and its outputs be announced later, as they say themselves: where fences of their own tell of them, or a poll.
  context.report({
    type: 'pjrt.EventContract',
    level: isAnnounced ? 'must' : 'should',
    message,
    call,
    requirements: [requirement],
  });
}

/** Milliseconds by which the first read of the contents takes longer than each of some later ones. */
function lagOf(context: CaseContext, { buffer, data }: Started, { what, call, requirement }: Subject): number {
  const read = (): number => {
    const delayed = watchRunDelay();
    const began = performance.now();
    buffer.awaitReady();
    const contents = fetchArray(context, buffer);
    const took = performance.now() - began - delayed();
    same(`the contents when ${what} is ready`, data, contents, call, requirement);
    return took;
  };
  const first = read();
  return first - Math.max(...Array.from({ length: LATER_READS }, read));
}

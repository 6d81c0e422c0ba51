import type { Step, StepBody } from '../../suite/types.ts';
import { AbsentError, PjrtError } from '../pjrt/errors.ts';
import { call } from './call.ts';
import { compile } from './compile.ts';
import type { CaseContext } from './context.ts';
import { decode } from './decode.ts';
import { execute, executeMeanwhile } from './execute.ts';
import { expect } from './expect.ts';
import { roundsArray, roundsInTime } from './in-flight.ts';
import { layout } from './layouts.ts';
import { awaitStep, client, destroy } from './lifetime.ts';
import { heard, listen } from './listen.ts';
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

/** Runs a step inside another. */
type Run = (step: Step) => Promise<void>;

/** What a step of each verb does. */
const VERBS: {
  readonly [V in StepBody['verb']]: (
    context: CaseContext,
    step: Extract<Step, { verb: V }>,
    run: Run,
    how: { probeNamed: ProbeNamed; breaks: readonly string[] | undefined },
  ) => void | Promise<void>;
} = {
  data: (context, step) => context.bind(step.as, context.data(step.data)),
  program,
  recorded: async (context, step) => (await import('./recorded.ts')).recorded(context, step),
  rounds: (context, { as, atMost }) => context.bind(as, roundsArray(roundsInTime(context, atMost))),
  pending,
  complete,
  listen,
  heard,
  read,
  decode,
  layout,
  put: (context, step) => context.make(put(context, step)),
  get: (context, { steps, ...step }, run) =>
    steps ? getMeanwhile(context, { ...step, steps }, run) : context.make(get(context, step)),
  compile: (context, step) => context.make(compile(context, step)),
  execute: (context, { steps, ...step }, run) =>
    steps ? executeMeanwhile(context, { ...step, steps }, run) : context.make(execute(context, step)),
  call: (context, step) => context.make(call(context, step)),
  'valid-call': async (context, step) => (await import('./valid-call.ts')).validCall(context, step),
  expect,
  observe,
  await: (context, step) => context.make(awaitStep(context, step)),
  destroy,
  client,
  'for-each': forEach,
  repeat,
  soak,
  'on-threads': (context, step, _, { probeNamed, breaks }) =>
    onThreads(context, step, (lane, inner) => runStep(lane, inner, probeNamed, breaks)),
  'if-offered': ifOffered,
  store: async (context, step) => (await import('./store.ts')).store(context, step),
  unjudged: (_, { because }) => {
    throw new NotSupported(because);
  },
  consult: () => {
    throw new SuiteFault('no oracle was asked');
  },
  probe: async (context, { name, with: options = {} }, _, { probeNamed }) => {
    const probe = await probeNamed(name);
    if (!probe) throw new SuiteFault(`there is no probe ${name}`);
    return probe(context, options);
  },
};

function perform(context: CaseContext, step: Step, probeNamed: ProbeNamed): void | Promise<void> {
  const { breaks } = context;
  const run: Run = (inner) => runStep(context, inner, probeNamed, breaks);
  return VERBS[step.verb](context, step as never, run, { probeNamed, breaks });
}
